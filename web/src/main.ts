/** Finds out what there is to show and shows it, or says why not. */
import { Failure } from "./data/failure";
import { Folder, openSource } from "./data/source";
import { failurePage } from "./pages/failure";
import { ObjectPage } from "./pages/object";
import { RunPage } from "./pages/run";
import "./style.css";

async function main(app: HTMLElement): Promise<void> {
  const source = openSource(document);
  const list = await source.list();
  const folders = list.sides.map((_, number) => new Folder(source, list, number));
  const page = list.kind === "object" ? await ObjectPage.open(folders[0]!, list) : await RunPage.open(folders, list);
  app.replaceChildren(page.root);
  await page.start();
}

const app = document.querySelector<HTMLElement>("#app")!;
main(app).catch((error: unknown) => app.replaceChildren(failurePage(Failure.of(error))));
