"""Vectors of a server of small models for LangChain, compared with the command line.

langchain_test.py ATTEND URL
"""

import json
import subprocess
import sys

from huggingface_hub import InferenceClient
from langchain_huggingface import HuggingFaceEndpointEmbeddings

attend, url = sys.argv[1:]


def own(text):
    out = subprocess.run([attend, "embed", "vectors.safetensors", "--threads", "1"], input=text + "\n", capture_output=True, text=True, check=True)
    vector = json.loads(out.stdout)["vector"]
    length = sum(value * value for value in vector) ** 0.5
    return [value / length for value in vector]


embeddings = HuggingFaceEndpointEmbeddings(model="vectors")
embeddings.client = InferenceClient(url + "/embed")  # as a model it takes no address
found = [*embeddings.embed_documents(["A dog sleeps.", "A cat."]), embeddings.embed_query("A dog sleeps.")]
for vector, text in zip(found, ["A dog sleeps.", "A cat.", "A dog sleeps."], strict=True):
    expected = own(text)
    assert len(vector) == len(expected) and all(abs(a - b) < 1e-6 for a, b in zip(vector, expected)), (vector, expected)
print("LangChain is served")
