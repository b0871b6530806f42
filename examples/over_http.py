"""Memory over HTTP, from any program that can send a request; `make run` starts the server."""

import time

import httpx

with httpx.Client(
    base_url="http://127.0.0.1:8765",
    params={"user_id": "ada"},
    # An answer may take a model longer than the five seconds that httpx waits by itself.
    timeout=60,
    event_hooks={"response": [httpx.Response.raise_for_status]},
) as http:
    http.post("/api/messages", json={"role": "user", "content": "I am allergic to peanuts."})

    # The server learns in the background: a moment later it knows.
    while not (facts := http.get("/api/memories").json()["items"]):
        time.sleep(0.1)
    print(f"{facts[0]['key']}: {facts[0]['content']}")

    found = http.post("/api/recall", json={"query": "What must I not eat?"}).json()
    for item in found["items"]:
        print(f"{item['score']:.2f} {item['text']} ({'; '.join(item['why'])})")

    reply = http.post("/api/chat", json={"message": "What must I not eat?"}).json()
    print(reply["answer"])
