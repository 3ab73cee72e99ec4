"""Asks a server of small models with the clients that people have, and compares with the command line."""

import json
import os
import struct
import subprocess
import sys
import urllib.request

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would look for prices

import deepl
import huggingface_hub
import libretranslatepy
import litellm
import openai
from prometheus_client.parser import text_string_to_metric_families

attend, url = sys.argv[1:]


def command(*arguments, text=""):
    return subprocess.run([attend, *arguments, "--threads", "1"], input=text, capture_output=True, text=True, check=True).stdout


def expect(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


def close(found, expected):
    assert len(found) == len(expected), (len(found), len(expected))
    assert all(abs(a - b) < 1e-6 for a, b in zip(found, expected)), (found, expected)


def libretranslate():
    client = libretranslatepy.LibreTranslateAPI(url + "/")
    sentence = "The old dog sees the cat."
    expect(client.translate(sentence, "en", "de"), command("translate", "en-de", text=sentence + "\n").rstrip("\n"))
    expect([language["code"] for language in client.languages()], ["en"])
    expect(client.detect(sentence)[0]["language"], "en")
    # This client knows no files.
    parts = "".join(f'--b\r\nContent-Disposition: form-data; name={name}\r\n\r\n{value}\r\n' for name, value in {"source": "en", "target": "de"}.items())
    text = "The dog sleeps.\n\nThe dog sleeps.\n"
    parts += f'--b\r\nContent-Disposition: form-data; name=file; filename="a.txt"\r\n\r\n{text}\r\n--b--'
    request = urllib.request.Request(url + "/translate_file", parts.encode(), {"Content-Type": "multipart/form-data; boundary=b"})
    address = json.load(urllib.request.urlopen(request))["translatedFileUrl"]
    one = command("translate", "en-de", text="The dog sleeps.\n")
    expect(urllib.request.urlopen(address).read().decode(), one + "\n" + one)


def deepl_translations():
    sentence = "The old dog sees the cat."
    own = command("translate", "en-de", text=sentence + "\n").rstrip("\n")
    for client in (deepl.Translator("key", server_url=url), deepl.DeepLClient("key", server_url=url)):
        answer = client.translate_text(sentence, target_lang="DE")
        expect((answer.text, answer.detected_source_lang, answer.billed_characters), (own, "EN", len(sentence)))
        expect([one.text for one in client.translate_text([sentence] * 2, source_lang="EN", target_lang="DE", formality="prefer_more")], [own, own])
        expect([language.code for language in client.get_source_languages()], ["EN"])
        expect([language.code for language in client.get_target_languages()], ["DE"])
        expect([(pair.source_lang, pair.target_lang) for pair in client.get_glossary_languages()], [("en", "de")])
        assert client.get_usage().character.valid and not client.get_usage().any_limit_reached
        for refused in ({"formality": "more"}, {"context": "x"}, {"split_sentences": "0"}, {"custom_instructions": ["x"]}):
            try:
                client.translate_text(sentence, target_lang="DE", **refused)
                raise AssertionError(f"{refused} is not refused")
            except deepl.DeepLException as error:
                assert list(refused)[0] in str(error), error
        deepl_glossaries(client)
        with open("in.txt", "w") as file:
            file.write(sentence + "\n")
        status = client.translate_document_from_filepath("in.txt", "out.txt", source_lang="EN", target_lang="DE")
        expect((status.done, open("out.txt").read()), (True, own + "\n"))
    deepl_multilingual_glossaries(client)


def deepl_glossaries(client):
    glossary = client.create_glossary("mine", "EN", "DE", {"dog": "Fisch"})
    expect((glossary.entry_count, glossary.ready, glossary.source_lang), (1, True, "EN"))
    expect(client.get_glossary_entries(glossary), {"dog": "Fisch"})
    expect([one.glossary_id for one in client.list_glossaries()], [glossary.glossary_id])
    assert "Fisch" in client.translate_text_with_glossary("The old dog sleeps.", glossary).text
    client.delete_glossary(glossary)
    try:
        client.get_glossary(glossary.glossary_id)
        raise AssertionError("it is still there")
    except deepl.GlossaryNotFoundException:
        pass
    client.delete_glossary(client.create_glossary_from_csv("csv", "EN", "DE", 'dog,Hund,EN,DE\n"cat",Katze\n'))


def deepl_multilingual_glossaries(client):
    entries = deepl.api_data.MultilingualGlossaryDictionaryEntries
    glossary = client.create_multilingual_glossary("several", [entries("EN", "DE", {"dog": "Fisch"})])
    client.update_multilingual_glossary_dictionary(glossary, entries("EN", "DE", {"cat": "Hund"}))
    expect(client.get_multilingual_glossary_entries(glossary, "EN", "DE").dictionaries[0].entries, "dog\tFisch\ncat\tHund\n")
    expect(client.replace_multilingual_glossary_dictionary(glossary, entries("EN", "DE", {"dog": "Katze"})).entry_count, 1)
    expect(client.update_multilingual_glossary_name(glossary, "other").name, "other")
    assert "Katze" in client.translate_text("The old dog sleeps.", source_lang="EN", target_lang="DE", glossary=glossary).text
    client.delete_multilingual_glossary_dictionary(glossary, source_lang="EN", target_lang="DE")
    client.delete_multilingual_glossary(glossary)
    expect(client.list_multilingual_glossaries(), [])


def openai_completions(client):
    options = {"max_tokens": 12, "temperature": 0.5, "seed": 3}
    expected = json.loads(
        command("generate", "lm", "--prompt", "The old", "--max-tokens", "12", "--temperature", "0.5", "--seed", "3", "--format", "json")
    )["text"]
    answer = client.completions.create(model="lm", prompt="The old", logprobs=1, **options)
    expect(answer.choices[0].text, expected)
    expect(answer.usage.completion_tokens, 12)
    expect(len(answer.choices[0].logprobs.token_logprobs), 12)
    expect(client.completions.create(model="lm", prompt="The old", echo=True, **options).choices[0].text, "The old" + expected)
    pieces = list(client.completions.create(model="lm", prompt="The old", stream=True, **options))
    expect("".join(piece.choices[0].text for piece in pieces), expected)
    assert len(pieces) > 2, pieces
    expect(len(client.completions.create(model="lm", prompt=["The", "A"], n=2, **options).choices), 4)
    try:
        client.completions.create(model="none", prompt="x")
        raise AssertionError("no error")
    except openai.NotFoundError as error:
        assert "none" in str(error)
    try:
        client.chat.completions.create(model="lm", messages=[{"role": "user", "content": "x"}])
        raise AssertionError("no error")
    except openai.BadRequestError as error:
        assert "chat template" in str(error)


def openai_chat(client):
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "A man is walking."}]
    options = {"model": "chat", "messages": messages, "temperature": 0, "max_completion_tokens": 8}
    answer = client.chat.completions.create(**options)
    text = answer.choices[0].message.content
    expect(answer.choices[0].message.role, "assistant")
    assert text and answer.usage.prompt_tokens > 20 and answer.usage.completion_tokens == 8, answer
    pieces = list(client.chat.completions.create(stream=True, **options))
    expect(pieces[0].choices[0].delta.role, "assistant")
    expect("".join(piece.choices[0].delta.content or "" for piece in pieces), text)
    expect(pieces[-1].choices[0].finish_reason, answer.choices[0].finish_reason)
    expect(litellm.completion(model="openai/chat", messages=messages, api_base=url + "/v1", api_key="x", temperature=0, max_tokens=8).choices[0].message.content, text)


def vector(text):
    return json.loads(command("embed", "vectors.safetensors", text=text + "\n"))["vector"]


def openai_embeddings(client):
    expected = [vector("A dog sleeps."), vector("A cat.")]
    answer = client.embeddings.create(model="vectors", input=["A dog sleeps.", "A cat."])  # in base64
    for found, one in zip(answer.data, expected):
        close(found.embedding, [struct.unpack("<f", struct.pack("<f", value))[0] for value in one])
    close(client.embeddings.create(model="vectors", input="A cat.", encoding_format="float").data[0].embedding, expected[1])


def hugging_face():
    client = huggingface_hub.InferenceClient(url)
    expect(client.translation("The dog sleeps.").translation_text, command("translate", "en-de", text="The dog sleeps.\n").rstrip("\n"))
    client = huggingface_hub.InferenceClient(url + "/embed")
    own = vector("A dog.")
    length = sum(value * value for value in own) ** 0.5
    close(list(map(float, client.feature_extraction("A dog.")[0])), [value / length for value in own])
    label, probability = command("classify", "films", text="A good film.\n").split("\t")[:2]
    answer = huggingface_hub.InferenceClient(url + "/models/films").text_classification("A good film.")
    expect(answer[0].label, label)
    assert abs(answer[0].score - float(probability)) < 1e-4


    number = command("classify", "pairs", text="A good film.\tA fine film.\n").strip()
    answer = huggingface_hub.InferenceClient(url + "/models/pairs").text_classification({"text": "A good film.", "text_pair": "A fine film."})
    assert abs(answer[0].score - float(number)) < 1e-4, (answer, number)
    text = "Anna Bell sees Paris ."
    own = json.loads(command("classify", "ner", "--format", "json", text=text + "\n"))
    client = huggingface_hub.InferenceClient(url + "/models/ner")
    found = client.token_classification(text)
    assert found, own
    for entity, one in zip(found, own["entities"], strict=True):
        expect((entity.entity_group, entity.word), (one["type"], " ".join(own["words"][one["begin"] : one["end"]])))
        expect(text[entity.start : entity.end], entity.word)
    expect(len(client.token_classification(text, aggregation_strategy="none", ignore_labels=[])), 5)


def lite_llm():
    answer = litellm.text_completion(model="text-completion-openai/lm", prompt="The", api_base=url + "/v1", api_key="x", max_tokens=5, temperature=0)
    expect(
        answer.choices[0].text,
        json.loads(command("generate", "lm", "--prompt", "The", "--max-tokens", "5", "--top-k", "1", "--format", "json"))["text"],
    )


def prometheus():
    text = urllib.request.urlopen(url + "/metrics").read().decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families["attend_http_requests"].samples and families["attend_items"].samples, families


client = openai.OpenAI(base_url=url + "/v1", api_key="x", max_retries=0)
expect([model.id for model in client.models.list()], ["en-de", "lm", "films", "vectors", "chat", "pairs", "ner"])
libretranslate()
deepl_translations()
openai_completions(client)
openai_chat(client)
openai_embeddings(client)
hugging_face()
lite_llm()
prometheus()
print("all clients are served")
