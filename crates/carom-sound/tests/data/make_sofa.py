"""Makes the SOFA files of the tests: a rigid sphere whose responses are one short pulse, late as R. S. Woodworth has it.

    pip install h5py numpy; python make_sofa.py

`old.sofa` has the forms of HDF5 1.6 (symbol tables, data in one piece), `new.sofa` those of 1.8 as netCDF writes them (dense links and
attributes, chunks that are shuffled and deflated, text in the global heap, delays apart from responses).
"""

import h5py
import numpy as np

RATE, TAPS, RADIUS, SPEED = 48_000.0, 64, 0.0875, 343.2

spherical = [(azimuth, 0.0) for azimuth in range(0, 360, 30)]
spherical += [(azimuth, elevation) for elevation in (-45.0, 45.0) for azimuth in range(0, 360, 60)]
spherical += [(0.0, -90.0), (0.0, 90.0)]
spherical = np.array([(float(a), e, 1.2) for a, e in spherical])
azimuth, elevation = np.radians(spherical[:, 0]), np.radians(spherical[:, 1])
cartesian = np.stack(
    [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], axis=1
)


def delay(to_ear):
    angle = np.arccos(np.clip(to_ear, -1, 1))
    around = np.where(angle < np.pi / 2, -np.cos(angle), angle - np.pi / 2)
    return RADIUS / SPEED * around * RATE


delays = np.stack([delay(cartesian[:, 1]), delay(-cartesian[:, 1])], axis=1)


def pulse(at):
    x = np.arange(TAPS) - at[..., None]
    return 0.7 * np.where(np.abs(x) < 2, np.cos(np.pi * x / 4) ** 2, 0.0)


with h5py.File("old.sofa", "w", libver="earliest") as file:
    file.attrs["SOFAConventions"] = np.bytes_("SimpleFreeFieldHRIR")
    file["Data.IR"] = pulse(26.0 + delays)
    file["Data.SamplingRate"] = np.array([RATE])
    file["SourcePosition"] = spherical
    file["SourcePosition"].attrs["Type"] = np.bytes_("spherical")

with h5py.File("new.sofa", "w", libver=("v108", "v108"), track_order=True) as file:
    for number in range(60):
        file.attrs[f"Remark{number}"] = f"remark {number}"
    for number in range(60):
        file[f"Spare{number}"] = np.zeros(1, dtype="f4")
    whole = np.floor(delays)
    packed = dict(chunks=(7, 2, 33), compression="gzip", shuffle=True, fletcher32=True)
    file.create_dataset("Data.IR", data=pulse(26.0 + delays - whole).astype("f4"), **packed)
    file["Data.Delay"] = whole.astype("i4")
    file["Data.SamplingRate"] = np.array(RATE, dtype=">f8")
    file.create_dataset("SourcePosition", data=1.2 * cartesian, track_order=True)
    for number in range(12):
        file["SourcePosition"].attrs[f"Remark{number}"] = "a remark"
    file["SourcePosition"].attrs["Type"] = "cartesian"
