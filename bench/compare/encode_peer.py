"""The other side of a comparison of encoders: PyTorch, ONNX Runtime or OpenVINO.

usage: encode_peer.py PEER MODEL SOURCE OUT [--int8] [--batch-size N] [--threads 2] [--latency] [--once]

MODEL is a directory of sentence-transformers or of transformers. SOURCE holds a text per line; OUT gets their vectors as f32 (of a
classifier: probabilities). PEER is torch (sentence-transformers itself, or transformers), onnx or openvino, which run the graph
that is exported from PyTorch to MODEL's folder in --graphs. Texts are sorted by length, as sentence-transformers does. Prints one line of
JSON: texts/s, the median latency, peak memory, time to load.
"""

import argparse
import json
import os
import statistics
import sys
import time

import numpy

from sides import peak_bytes


def pooled(hidden, mask, how):
    if how == "cls":
        return hidden[:, 0]
    weights = mask[:, :, None].astype(numpy.float32)
    return (hidden * weights).sum(1) / weights.sum(1)


class Description:
    """What sentence-transformers says of pooling and normalization; of a classifier nothing."""

    def __init__(self, directory):
        self.sentence = os.path.exists(f"{directory}/modules.json")
        self.classifier = "SequenceClassification" in json.load(open(f"{directory}/config.json"))["architectures"][0]
        self.how, self.normalize, self.longest = "mean", False, 512
        if self.sentence:
            modules = json.load(open(f"{directory}/modules.json"))
            self.normalize = any(m["type"].endswith("Normalize") for m in modules)
            pooling = next(m["path"] for m in modules if m["type"].endswith("Pooling"))
            if json.load(open(f"{directory}/{pooling}/config.json")).get("pooling_mode_cls_token"):
                self.how = "cls"
            self.longest = json.load(open(f"{directory}/sentence_bert_config.json"))["max_seq_length"]

    def finish(self, output, mask):
        if self.classifier:
            probabilities = numpy.exp(output - output.max(1, keepdims=True))
            return probabilities / probabilities.sum(1, keepdims=True)
        vectors = pooled(output, mask, self.how)
        return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True) if self.normalize else vectors


def torch_model(a, description):
    import torch
    import transformers

    torch.set_num_threads(a.threads)
    kind = transformers.AutoModelForSequenceClassification if description.classifier else transformers.AutoModel
    return torch, kind.from_pretrained(a.model).float().eval()


class Torch:
    def __init__(self, a, description):
        self.torch, self.model = torch_model(a, description)
        if a.int8:
            self.model = self.torch.ao.quantization.quantize_dynamic(self.model, {self.torch.nn.Linear}, dtype=self.torch.qint8)

    def run(self, feed):
        with self.torch.inference_mode():
            return self.model(**{k: self.torch.from_numpy(v) for k, v in feed.items()})[0].numpy()


def onnx_graph(a, description):
    """The graph from PyTorch, in f32 or with dynamic quantization; made once."""
    path = os.path.join(a.graphs, "model.onnx")
    if not os.path.exists(path):
        os.makedirs(a.graphs, exist_ok=True)
        torch, model = torch_model(a, description)

        class Graph(torch.nn.Module):
            def forward(self, input_ids, attention_mask, token_type_ids):
                types = {"token_type_ids": token_type_ids} if model.config.model_type == "bert" else {}
                return model(input_ids=input_ids, attention_mask=attention_mask, **types)[0]

        names = ["input_ids", "attention_mask", "token_type_ids"]
        example = torch.ones(2, 8, dtype=torch.int64)
        shape = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
        torch.onnx.export(Graph().eval(), (example, example, 0 * example), path, input_names=names, output_names=["output"], dynamo=True,
                          dynamic_shapes=[shape] * 3, external_data=False, verbose=False)
    if not a.int8:
        return path
    small = os.path.join(a.graphs, "model.int8.onnx")
    if not os.path.exists(small):
        from onnxruntime.quantization import QuantType, quantize_dynamic

        quantize_dynamic(path, small, weight_type=QuantType.QInt8)
    return small


class Onnx:
    def __init__(self, a, description):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = a.threads
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(onnx_graph(a, description), options, providers=["CPUExecutionProvider"])
        self.names = {x.name for x in self.session.get_inputs()}

    def run(self, feed):
        return self.session.run(None, {k: v for k, v in feed.items() if k in self.names})[0]


class OpenVino:
    def __init__(self, a, description):
        import openvino

        core = openvino.Core()
        model = core.read_model(onnx_graph(a, description))
        self.compiled = core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": a.threads, "INFERENCE_PRECISION_HINT": "f32",
                                                          "PERFORMANCE_HINT": "LATENCY" if a.latency else "THROUGHPUT"})
        self.names = {x.get_any_name() for x in self.compiled.inputs}

    def run(self, feed):
        return self.compiled({k: v for k, v in feed.items() if k in self.names})[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=["torch", "onnx", "openvino"])
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("out")
    parser.add_argument("--graphs", default="")
    parser.add_argument("--int8", action="store_true")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--latency", action="store_true", help="one text after the other")
    parser.add_argument("--once", action="store_true", help="only the first text: a cold start")
    a = parser.parse_args()

    import tokenizers

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    begun = time.monotonic()
    description = Description(a.model)
    tokenizer = tokenizers.Tokenizer.from_file(f"{a.model}/tokenizer.json")
    tokenizer.enable_truncation(description.longest)
    tokenizer.enable_padding()
    peer = {"torch": Torch, "onnx": Onnx, "openvino": OpenVino}[a.peer](a, description)
    result = {"load_seconds": time.monotonic() - begun}
    with open(a.source) as file:
        texts = [line.rstrip("\n") for line in file]

    def encode(batch):
        encoded = tokenizer.encode_batch(batch)
        feed = {"input_ids": [e.ids for e in encoded], "attention_mask": [e.attention_mask for e in encoded],
                "token_type_ids": [e.type_ids for e in encoded]}
        feed = {k: numpy.array(v, dtype=numpy.int64) for k, v in feed.items()}
        return description.finish(peer.run(feed), feed["attention_mask"])

    first = encode(texts[:1])
    if a.once:
        print(first.shape)
        return
    latencies = []
    vectors = numpy.zeros((len(texts), first.shape[1]), dtype=numpy.float32)
    started = time.monotonic()
    if a.latency:
        for i, text in enumerate(texts):
            at = time.monotonic()
            vectors[i] = encode([text])[0]
            latencies.append(time.monotonic() - at)
    else:
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        for begin in range(0, len(order), a.batch_size):
            chosen = order[begin:begin + a.batch_size]
            vectors[chosen] = encode([texts[i] for i in chosen])
    result["seconds"] = time.monotonic() - started
    result["texts_per_second"] = len(texts) / result["seconds"]
    if latencies:
        result["latency_median"] = statistics.median(latencies)
    result["peak_bytes"] = peak_bytes()
    vectors.tofile(a.out)
    print(json.dumps(result))


if __name__ == "__main__":
    sys.exit(main())
