"""The other side of a comparison of servers: FastAPI in front of CTranslate2, with dynamic batching. Requests that wait are translated together,
at most MAX_BATCH of them, after a wait of at most WAIT seconds for more; CTranslate2 gets batches from as many threads as it has workers.

usage: serve_fastapi.py FOLDER PORT --compute-type int8|float32 --beam-size N [--inter 2 --intra 1]
"""

import argparse
import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import ctranslate2
import sentencepiece
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

MAX_BATCH = 64
WAIT = 0.005


class Request(BaseModel):
    q: str
    source: str
    target: str


class Batcher:
    def __init__(self, a):
        self.translator = ctranslate2.Translator(a.folder, compute_type=a.compute_type, inter_threads=a.inter, intra_threads=a.intra)
        self.src = sentencepiece.SentencePieceProcessor(f"{a.folder}/tokenizer.src.model")
        target = f"{a.folder}/tokenizer.tgt.model"  # absent of a joint vocabulary
        self.tgt = sentencepiece.SentencePieceProcessor(target) if os.path.exists(target) else self.src
        self.beam_size = a.beam_size
        self.queue = asyncio.Queue()
        self.workers = a.inter
        self.threads = ThreadPoolExecutor(a.inter)

    async def translate(self, text):
        answer = asyncio.get_running_loop().create_future()
        await self.queue.put((text, answer))
        return await answer

    async def work(self):
        loop = asyncio.get_running_loop()
        while True:
            batch = [await self.queue.get()]
            until = loop.time() + WAIT
            while len(batch) < MAX_BATCH:
                try:
                    batch.append(self.queue.get_nowait() if not self.queue.empty() else
                                 await asyncio.wait_for(self.queue.get(), until - loop.time()))
                except asyncio.TimeoutError:
                    break
            try:
                texts = await loop.run_in_executor(self.threads, self.translations, [text for text, _ in batch])
            except Exception as error:
                for _, answer in batch:
                    answer.set_exception(error)
                continue
            for (_, answer), text in zip(batch, texts):
                if not answer.done():
                    answer.set_result(text)

    def translations(self, texts):
        results = self.translator.translate_batch(self.src.encode(texts, out_type=str), beam_size=self.beam_size, max_batch_size=MAX_BATCH,
                                                  length_penalty=1.0, max_decoding_length=256)
        return [self.tgt.decode(result.hypotheses[0]) for result in results]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("port", type=int)
    parser.add_argument("--compute-type", default="float32")
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--inter", type=int, default=2)
    parser.add_argument("--intra", type=int, default=1)
    a = parser.parse_args()

    @asynccontextmanager
    async def running(app):
        app.state.batcher = Batcher(a)
        workers = [asyncio.create_task(app.state.batcher.work()) for _ in range(a.inter)]
        yield
        for worker in workers:
            worker.cancel()

    app = FastAPI(lifespan=running)

    @app.post("/translate")
    async def translate(request: Request):
        return {"translatedText": await app.state.batcher.translate(request.q)}

    uvicorn.run(app, host="127.0.0.1", port=a.port, log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
