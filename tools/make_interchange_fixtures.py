#!/usr/bin/env python3
"""Writes tests/interchange/data: small files as other programs write them, for the readers of foreign models.

    pip install torch==2.13.0 numpy safetensors
    python tools/make_interchange_fixtures.py [--out tests/interchange/data]

The files are committed; the tests need neither Python nor this script. Elements follow formulas that tests/interchange/fixtures.h repeats,
so that the tests know them without a second file. The same versions write the same bytes.

torch_zip.bin, torch_legacy.bin   a state dict in both containers: all types, shared storages, views, a parameter, an empty tensor
arrays.npz, arrays_deflated.npz   all types, column-major and scalar arrays, special:model.yml
marian.bin                        a Marian model, version 1, written here after its description in src/attend/interchange/formats
all_types.safetensors             all types that have a reader
sharded_safetensors/, sharded_torch/   two shards and their index
"""
import argparse
import io
import json
import pickletools
import struct
from collections import OrderedDict
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

YAML = "# made up\ndim-emb: 8\ndim-vocabs:\n  - 12\n  - 12\ntype: transformer\n"


def ramp(*shape):
    """Numbers that every floating-point type holds exactly."""
    count = int(np.prod(shape, dtype=np.int64))
    return np.array([((7 * i) % 17 - 8) / 4 for i in range(count)], np.float64).reshape(shape)


def whole(*shape):
    count = int(np.prod(shape, dtype=np.int64))
    return np.array([(5 * i) % 11 - 3 for i in range(count)], np.int64).reshape(shape)


def typed_tensors():
    f, i = (lambda *s: torch.from_numpy(ramp(*s))), (lambda *s: torch.from_numpy(whole(*s)))
    return OrderedDict(
        f64=f(2, 3),
        f32=f(3, 4).float(),
        f16=f(5).half(),
        bf16=f(2, 2).bfloat16(),
        i64=i(3),
        i32=i(2, 2).int(),
        i16=i(3).short(),
        i8=i(4).char(),
        u8=(i(4) + 200).byte(),
        bool=(i(5) > 0),
        scalar=torch.tensor(2.5),
        empty=torch.zeros(0, 3),
        special=torch.tensor([float("nan"), float("inf"), float("-inf"), -0.0, 1e-45]),
        f16_special=torch.tensor([float("nan"), float("inf"), float("-inf"), -0.0, 6e-8, 65504]).half(),
    )


def state_dict():
    state = typed_tensors()
    base = torch.from_numpy(ramp(4, 6)).float()
    state["base"] = base
    state["base.transposed"] = base.t()
    state["base.slice"] = base[1:3, 2:5]
    state["base.row"] = base[2]
    state["base.column"] = base[:, 1]
    state["parameter"] = torch.nn.Parameter(torch.from_numpy(ramp(2)).float())
    state._metadata = OrderedDict([("", {"version": 1})])  # as Module.state_dict() has it
    return state


def with_named_storages(data):
    """An old container without the addresses by which it names and orders storages."""
    stream = io.BytesIO(data)
    for _ in range(5):
        keys_begin = stream.tell()
        *_, (op, _, end) = pickletools.genops(stream)
        assert op.name == "STOP"
    keys = [arg for op, arg, _ in pickletools.genops(data[keys_begin:]) if op.name == "BINUNICODE"]
    first = {key: data.index(key.encode()) for key in keys}
    position, blocks = stream.tell(), {}
    widths = storage_widths(data[:keys_begin])
    for key in keys:
        (count,) = struct.unpack_from("<q", data, position)
        size = 8 + count * widths[key]
        blocks[key] = data[position : position + size]
        position += size
    assert position == len(data)
    order = sorted(keys, key=lambda key: first[key])
    names = {key: f"storage{number:02d}" for number, key in enumerate(order)}

    def renamed(part):
        for key, name in names.items():
            part = part.replace(b"X" + struct.pack("<I", len(key)) + key.encode(), b"X" + struct.pack("<I", len(name)) + name.encode())
        return part

    listed = b"\x80\x02]q\x00(" + b"".join(
        b"X" + struct.pack("<I", len(names[key])) + names[key].encode() + b"q" + bytes([number + 1]) for number, key in enumerate(order)
    ) + b"e."
    return renamed(data[:keys_begin]) + listed + b"".join(blocks[key] for key in order)


def storage_widths(data):
    """Bytes of an element of each storage, by its key."""
    widths = {}

    class Reader(torch.serialization.pickle.Unpickler):
        def persistent_load(self, saved):
            _, kind, key, *_ = saved
            widths[key] = torch._utils._element_size(kind.dtype)
            return torch.storage.TypedStorage(0, dtype=kind.dtype)

        def find_class(self, module, name):
            if name == "_rebuild_tensor_v2" or name == "_rebuild_parameter":
                return lambda *args: None
            return super().find_class(module, name)

    stream = io.BytesIO(data)
    for _ in range(4):
        Reader(stream).load()
    return widths


def marian_binary(items):
    """Of (name, array) in the order given; data padded to 256 bytes, as Marian writes it."""
    types = {np.dtype("float32"): 0x404, np.dtype("int8"): 0x101}
    data = [a.tobytes() + b"\0" * (-a.nbytes % 256) for _, a in items]
    head = struct.pack("<QQ", 1, len(items))
    for (name, array), block in zip(items, data):
        head += struct.pack("<QQQQ", len(name) + 1, types[array.dtype], array.ndim, len(block))
    head += b"".join(name.encode() + b"\0" for name, _ in items)
    head += b"".join(struct.pack(f"<{a.ndim}i", *a.shape) for _, a in items)
    padding = -(len(head) + 8) % 256
    return head + struct.pack("<Q", padding) + b"\0" * padding + b"".join(data)


def arrays():
    yaml = np.frombuffer(YAML.encode() + b"\0", np.int8)
    return {
        "f8": ramp(2, 3),
        "f4": ramp(3, 4).astype("f4"),
        "f2": ramp(5).astype("f2"),
        "i8": whole(3),
        "i4": whole(2, 2).astype("i4"),
        "i2": whole(3).astype("i2"),
        "i1": whole(4).astype("i1"),
        "u1": (whole(4) + 200).astype("u1"),
        "b1": whole(5) > 0,
        "scalar": np.float32(2.5),
        "empty": np.zeros((0, 3), "f4"),
        "columns": np.asfortranarray(ramp(3, 4).astype("f4")),
        "cube": np.asfortranarray(ramp(2, 3, 4).astype("f4")),
        "flat": np.zeros(2000, "f4"),
        "special:model.yml": yaml,
    }


def write_sharded(folder, shards, index_name, save):
    folder.mkdir(exist_ok=True)
    weight_map = {}
    for name, tensors in shards.items():
        save(tensors, folder / name)
        weight_map.update({key: name for key in tensors})
    size = sum(t.numel() * t.element_size() for tensors in shards.values() for t in tensors.values())
    index = {"metadata": {"total_size": size}, "weight_map": weight_map}
    (folder / index_name).write_text(json.dumps(index, indent=2) + "\n")


def shards(suffix, stem):
    first = {"a.weight": torch.from_numpy(ramp(2, 3)).float(), "a.bias": torch.from_numpy(ramp(3)).float()}
    second = {"b.weight": torch.from_numpy(ramp(3, 2)).half()}
    return {f"{stem}-00001-of-00002.{suffix}": first, f"{stem}-00002-of-00002.{suffix}": second}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("tests/interchange/data"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    torch.save(state_dict(), out / "torch_zip.bin")
    legacy = io.BytesIO()
    torch.save(state_dict(), legacy, _use_new_zipfile_serialization=False)
    (out / "torch_legacy.bin").write_bytes(with_named_storages(legacy.getvalue()))
    np.savez(out / "arrays.npz", **arrays())
    np.savez_compressed(out / "arrays_deflated.npz", **arrays())
    yaml = np.frombuffer(YAML.encode() + b"\0", np.int8)
    items = [("Wemb", ramp(3, 4).astype("f4")), ("decoder_ff_logit_out_b", ramp(1, 3).astype("f4")), ("special:model.yml", yaml)]
    (out / "marian.bin").write_bytes(marian_binary(items))
    save_file({k: v for k, v in typed_tensors().items()}, out / "all_types.safetensors")
    write_sharded(out / "sharded_safetensors", shards("safetensors", "model"), "model.safetensors.index.json", save_file)
    write_sharded(out / "sharded_torch", shards("bin", "pytorch_model"), "pytorch_model.bin.index.json", torch.save)


if __name__ == "__main__":
    main()
