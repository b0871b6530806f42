"""An application that speaks to OpenAI: another base URL, and it has memory.

`make run` starts the server. Without a language model behind it, memory itself answers.
"""

import time

from openai import OpenAI

client = OpenAI(base_url="http://127.0.0.1:8765/v1", api_key="anything")


def ask(question: str) -> str:
    """Ask in a conversation of its own, as an application that was started anew would."""
    answer = client.chat.completions.create(
        model="gpt-5-mini",
        messages=[{"role": "user", "content": question}],
        user="ada",
    )
    return answer.choices[0].message.content or ""


ask("I am allergic to peanuts.")
# The server learns in the background: a moment later it knows.
while "peanuts" not in (answer := ask("What must I not eat?")):
    time.sleep(0.2)
print(answer)
client.close()
