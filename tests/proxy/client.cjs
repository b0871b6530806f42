// OpenAI's client for JavaScript, against the address that is given; prints what it got as JSON.
const OpenAI = require("openai");

async function main(baseURL, user) {
  const client = new OpenAI({
    baseURL,
    apiKey: "sk-client",
    maxRetries: 0,
    defaultHeaders: { "X-Longterm-User": user },
  });
  const messages = [{ role: "user", content: "hello" }];
  const whole = await client.chat.completions.create({ model: "gpt-test", messages });
  messages.push(whole.choices[0].message, { role: "user", content: "more" });
  let streamed = "";
  const stream = await client.chat.completions.create({ model: "gpt-test", messages, stream: true });
  for await (const chunk of stream) streamed += chunk.choices[0]?.delta?.content ?? "";
  const models = [];
  for await (const model of client.models.list()) models.push(model.id);
  const vectors = await client.embeddings.create({ model: "longterm", input: "hello" });
  let error = null;
  try {
    await client.embeddings.create({ model: "longterm", input: [] });
  } catch (caught) {
    error = { status: caught.status, type: caught.type, known: caught instanceof OpenAI.BadRequestError };
  }
  return {
    whole: whole.choices[0].message.content,
    streamed,
    models,
    dimensions: vectors.data[0].embedding.length,
    error,
  };
}

main(process.argv[2], process.argv[3]).then(
  (told) => console.log(JSON.stringify(told)),
  (error) => { console.error(error); process.exit(1); },
);
