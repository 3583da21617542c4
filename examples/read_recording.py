"""Reads a recording of Carom: python3 examples/read_recording.py FOLDER

Needs pyarrow, and pandas for the tables: pip install pyarrow pandas
"""

import json
import pathlib
import sys

import pyarrow as pa
import pyarrow.ipc


def table(folder, name):
    """All rows of a table (motion, contacts or ledger), the segments one after the other."""
    segments = sorted((folder / name).glob("*.arrow"))
    return pa.concat_tables(pa.ipc.open_file(path).read_all() for path in segments)


def main():
    folder = pathlib.Path(sys.argv[1])
    run = json.loads((folder / "run.json").read_text())
    names = [body["name"] for body in run["bodies"]]
    print(f"{run['name']}: {len(names)} bodies, step {run['step']} s, {run['fps']} frames per second")

    motion = table(folder, "motion")
    unit = motion.schema.field("y").metadata[b"unit"].decode()
    last = motion.to_pandas().groupby("body").last()
    for body, row in last.head(5).iterrows():
        print(f"  {names[body]:<14} at {row.time:.3f} s: height {row.y:.4f} {unit}")

    contacts = table(folder, "contacts").to_pandas()
    new = contacts[contacts.is_new & (contacts.normal_impulse > 0)]
    print(f"  {len(contacts)} contacts, {len(new)} of them impacts")
    for _, hit in new.nlargest(3, "normal_impulse").iterrows():
        pair = f"{names[int(hit['first'])]} and {names[int(hit['second'])]}"
        print(f"  {hit.time:.4f} s: {pair}, {hit.normal_impulse:.4f} N s")

    energy = table(folder, "ledger").to_pandas()
    gone = energy[["restitution", "friction", "damping", "jam", "stabilization", "integrator"]].sum(axis=1)
    given = energy.start + energy.driven + energy.injected
    error = (energy.kinetic + energy.potential + energy.elastic + gone - given).abs().max()
    print(f"  the ledger adds up to {error:.1e} J in every frame")


if __name__ == "__main__":
    main()
