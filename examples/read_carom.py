#!/usr/bin/env python3
"""Reads a .carom file without Carom: python3 read_carom.py OBJECT.carom

A .carom file is a safetensors container: eight bytes with the length of a JSON header, the header, the data.
The header has strings under "__metadata__" and says of every tensor its type, shape and place in the data.
"""
import array
import json
import struct
import sys

TYPES = {"F64": "d", "F32": "f", "U32": "I", "U8": "B"}


def read_carom(path):
    """Returns the metadata (strings by name) and the tensors (shape and flat numbers by name)."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, info in header.items():
        begin, end = info["data_offsets"]
        if info["dtype"] not in TYPES:
            continue  # a newer file may hold types that this example does not know
        numbers = array.array(TYPES[info["dtype"]], data[begin:end])
        if sys.byteorder == "big":
            numbers.byteswap()
        tensors[name] = (info["shape"], numbers)
    return metadata, tensors


def main():
    metadata, tensors = read_carom(sys.argv[1])
    material = json.loads(metadata["material"])
    print(f"name      {metadata['name']}")
    print(f"material  {material['name']} ({material['density']} kg/m³, {material['young'] / 1e9:.4g} GPa)")

    _, frequencies = tensors["modes.frequencies"]
    for mode, frequency in enumerate(frequencies, start=1):
        print(f"mode {mode:<4} {frequency:.3f} Hz")

    (modes, vertices, _), shapes = tensors["modes.shapes"]
    if modes > 0:
        lengths = [sum(x * x for x in shapes[3 * v : 3 * v + 3]) ** 0.5 for v in range(vertices)]
        largest = max(range(vertices), key=lengths.__getitem__)
        print(f"mode 1 moves most at vertex {largest}: {lengths[largest]:.6f} / √kg")

    if "bounce.restitution" in tensors:
        restitution = bounce_values(tensors, "bounce.restitution")
        print(f"bounces with restitution {min(restitution):.3f} to {max(restitution):.3f} in {len(restitution)} samples")


def bounce_values(tensors, name):
    """The numbers of a bounce map; bytes stand for 256 even steps of a range."""
    _, values = tensors[name]
    if name + "_range" not in tensors:
        return list(values)
    _, (least, greatest) = tensors[name + "_range"]
    return [least + (greatest - least) * byte / 255 for byte in values]


if __name__ == "__main__":
    main()
