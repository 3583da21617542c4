#!/usr/bin/env python3
"""Kills runs with `kill -9` at random times, resumes them, and compares the final state with that of a run that nobody killed.

    fuzz/kills.py [KILLS] [SEED]      with target/release/carom, in a temporary folder; exit code 1 if a bit differs
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

CAROM = os.path.abspath(os.path.join(os.path.dirname(__file__), "../target/release/carom"))
SCENES = ["stack", "cradle", "ruler-twang"]
QUIET = ["--json", "--quiet", "--no-gltf", "--no-plots"]


def kill_and_resume(scene, kills):
    """Whether every recording was readable and the final state is the same."""
    begun = time.time()
    straight = subprocess.run([CAROM, "run", scene, "--out", "straight", *QUIET], check=True, capture_output=True)
    longest = min(time.time() - begun, 0.6)
    expected = json.loads(straight.stdout)["hash"]
    finished, good = 0, True
    command = [CAROM, "run", scene, "--out", "killed", "--resume", "--checkpoint", "0.01", *QUIET]
    done = 0
    while done < kills:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=random.uniform(0.005, longest))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            done += 1
            if os.path.exists("killed/run.json"):
                good &= subprocess.run([CAROM, "inspect", "./killed", "--json"], capture_output=True).returncode == 0
            continue
        # It came to its end between two kills: compared, and begun anew.
        good &= process.returncode == 0 and json.loads(out)["hash"] == expected
        finished += 1
        shutil.rmtree("killed")
        if not good:
            print(err.decode())
            break
    last = subprocess.run(command, capture_output=True)
    good &= last.returncode == 0 and json.loads(last.stdout)["hash"] == expected
    print(f"{scene}: {done} kills, {finished + 1} runs came to their end, {'same bits' if good else 'DIFFERENT'}")
    return good


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        results = []
        for scene in SCENES:
            results.append(kill_and_resume(scene, kills))
            for name in ["straight", "killed"]:
                shutil.rmtree(name, ignore_errors=True)
        os.chdir("/")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
