"""a6: prompt templates."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from longterm import AsyncTenant, InvalidInputError, TemplateError
from longterm.errors import MemoryNotFoundError
from longterm.records.scope import SYSTEM_TENANT, Scope
from longterm.runtime import Runtime
from longterm.text.templates import MAX_MEMORY_BYTES, MAX_RENDERED


@pytest.fixture
async def system(runtime: Runtime) -> AsyncIterator[AsyncTenant]:
    """The system's templates, which are gone when the test is over."""
    system = runtime.tenant(Scope(SYSTEM_TENANT))
    yield system
    for template in await system.list_templates():
        await system.delete_template(template.name)


async def rendered(mem: AsyncTenant, body: str, **variables: Any) -> str:
    """What becomes of a body."""
    await mem.set_template("t", body)
    return await mem.render_template("t", variables)


async def test_set_template(mem: AsyncTenant, tenant_id: int) -> None:
    """a6"""
    first = await mem.set_template("greet", "Hello {{ name }}")
    second = await mem.set_template("greet", "Hi {{ name }}")

    assert (first.tenant_id, first.name, first.version) == (tenant_id, "greet", 1)
    assert (second.version, second.body) == (2, "Hi {{ name }}")
    assert await mem.get_template("greet") == second
    assert await mem.list_templates() == [second]


async def test_render_template(mem: AsyncTenant) -> None:
    """a6"""
    await mem.set_template("greet", "Hello {{ name }}, {{ items | join(' and ') }}!")

    text = await mem.render_template("greet", {"name": "Ada", "items": ["tea", "cake"]})

    assert text == "Hello Ada, tea and cake!"


async def test_delete_template(mem: AsyncTenant) -> None:
    """a6"""
    await mem.set_template("greet", "one")
    await mem.set_template("greet", "two")

    await mem.delete_template("greet")

    assert await mem.list_templates() == []
    with pytest.raises(MemoryNotFoundError):
        await mem.get_template("greet")
    with pytest.raises(MemoryNotFoundError):
        await mem.delete_template("greet")


async def test_an_unknown_template_is_a_clear_error(mem: AsyncTenant) -> None:
    """a6"""
    for call in (mem.get_template, mem.render_template, mem.delete_template):
        with pytest.raises(MemoryNotFoundError, match="no template by that name"):
            await call("nowhere")


async def test_an_unknown_variable_is_a_clear_error(mem: AsyncTenant) -> None:
    """a6"""
    with pytest.raises(TemplateError, match="'nowhere' is undefined"):
        await rendered(mem, "Hello {{ nowhere }}")
    with pytest.raises(TemplateError, match="no attribute 'nowhere'"):
        await rendered(mem, "Hello {{ known.nowhere }}", known={})


async def test_the_systems_template_lies_beneath_a_tenants_own(
    mem: AsyncTenant, system: AsyncTenant, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """a6"""
    for body in ("system 1", "system 2"):
        await system.set_template("shared", body)
    assert await mem.render_template("shared") == "system 2"

    own = await mem.set_template("shared", "own")

    assert own.version == 1
    assert await mem.render_template("shared") == "own"
    assert await new_tenant().render_template("shared") == "system 2"
    assert (await mem.get_template("shared")).tenant_id is not None
    assert (await system.get_template("shared")).tenant_id is None

    await mem.delete_template("shared")
    assert await mem.render_template("shared") == "system 2"


async def test_a_list_has_the_newest_of_each_name_with_a_tenants_own_first(
    mem: AsyncTenant, system: AsyncTenant
) -> None:
    """a6"""
    await system.set_template("b", "system b")
    await system.set_template("c", "system c")
    for body in ("a 1", "a 2"):
        await mem.set_template("a", body)
    await mem.set_template("c", "own c")

    templates = await mem.list_templates()

    assert [template.body for template in templates] == ["a 2", "system b", "own c"]


async def test_a_tenant_cannot_delete_the_systems_template(
    mem: AsyncTenant, system: AsyncTenant
) -> None:
    """a6, a5"""
    await system.set_template("shared", "system")

    with pytest.raises(MemoryNotFoundError):
        await mem.delete_template("shared")

    assert await mem.render_template("shared") == "system"


async def test_a_tenant_does_not_see_another_tenants_templates(
    mem: AsyncTenant, new_tenant: Callable[[], AsyncTenant]
) -> None:
    """a5, a6"""
    await new_tenant().set_template("secret", "theirs")

    assert await mem.list_templates() == []
    with pytest.raises(MemoryNotFoundError):
        await mem.render_template("secret")


async def test_a_template_sees_history_and_key_value_memory_of_a_user(mem: AsyncTenant) -> None:
    """a6"""
    await mem.add_message("ada", "user", "Hello")
    await mem.add_message("ada", "assistant", "Hi")
    await mem.add_message("bob", "user", "Secret")
    await mem.set_memory("ada", "prefs", {"level": "expert"})
    await mem.set_template(
        "t",
        "{{ user_id }} {{ memory.prefs.level }} {{ now.year > 2000 }}:"
        "{% for message in history %} {{ message.role }}={{ message.content }}{% endfor %}",
    )

    text = await mem.render_template("t", user_id="ada")

    assert text == "ada expert True: user=Hello assistant=Hi"


async def test_a_variable_that_is_given_comes_before_what_is_known(mem: AsyncTenant) -> None:
    """a6"""
    await mem.set_template("t", "{{ user_id }} {{ history }}")

    text = await mem.render_template("t", {"history": "none"}, user_id="ada")

    assert text == "ada none"


async def test_what_is_known_of_a_user_needs_a_user(mem: AsyncTenant) -> None:
    """a6"""
    with pytest.raises(TemplateError, match="'history' is undefined"):
        await rendered(mem, "{{ history }}")


TRICKS = [
    "{{ ''.__class__.__mro__ }}",
    "{{ ''['__class__'] }}",
    "{{ ''|attr('__class__') }}",
    "{{ ().__class__.__base__.__subclasses__() }}",
    "{% macro m() %}{% endmacro %}{{ m.__init__.__globals__ }}",
    "{{ thing.isoformat.__self__.__class__ }}",
    "{{ '{0.__class__}'.format(thing) }}",
    "{{ '%s'.format.__self__.__class__ }}",
    "{{ cycler.__init__.__globals__.os }}",
    "{{ self._TemplateReference__context }}",
    "{{ thing.__reduce__() }}",
    "{{ items.append(1) }}",
    "{{ table.update(a=1) }}",
    "{% include 'other' %}",
    "{% import 'os' as os %}",
    "{% extends 'base' %}",
    "{% for i in range(10 ** 9) %}{% endfor %}",
    "{% for i in range(100000) %}{{ 'x' * 1000 }}{% endfor %}",
    "{{ 'x' * 10 ** 15 }}",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{{ 1 / 0 }}",
    "{{ 'text' + 1 }}",
    "{{ thing | nosuchfilter }}",
]


@pytest.mark.parametrize("body", TRICKS)
async def test_tricks_are_refused_by_the_sandbox(mem: AsyncTenant, body: str) -> None:
    """a6"""
    items, table = [0], {"a": 0}

    with pytest.raises(TemplateError) as refused:
        await rendered(mem, body, thing=datetime.now(UTC), items=items, table=table)

    assert str(refused.value).startswith(("The template", "The rendered template must"))
    assert (items, table) == ([0], {"a": 0})


@pytest.mark.parametrize(
    "body",
    [
        "{{ unclosed",
        "{% if x %}no end",
        "{% nosuchtag %}",
        "{{ 1 + }}",
        "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
        "{% for i in [] %}" * 30 + "{% endfor %}" * 30,
    ],
    ids=["unclosed", "no end", "unknown tag", "half a sum", "deep brackets", "deep loops"],
)
async def test_a_body_that_is_no_template_is_refused_when_it_is_set(
    mem: AsyncTenant, body: str
) -> None:
    """a6"""
    with pytest.raises(TemplateError, match="cannot be read"):
        await mem.set_template("t", body)

    assert await mem.list_templates() == []


@pytest.mark.parametrize("variables", [[], "text", 1, [("a", 1)], object()])
async def test_variables_are_a_mapping(mem: AsyncTenant, variables: Any) -> None:
    """a6"""
    await mem.set_template("t", "plain")

    with pytest.raises(InvalidInputError, match="variables must be a mapping"):
        await mem.render_template("t", variables)


async def test_text_is_not_escaped_and_not_rendered_twice(mem: AsyncTenant) -> None:
    """a6"""
    assert await rendered(mem, "{{ x }}", x="<b> & {{ y }}") == "<b> & {{ y }}"


class Thing:
    """A class that only the application knows."""


@pytest.mark.parametrize("value", [Thing(), Thing, lambda: 1])
async def test_a_variable_is_a_plain_value(mem: AsyncTenant, value: Any) -> None:
    """a6"""
    with pytest.raises(TemplateError, match="variables must be plain values"):
        await rendered(mem, "{{ value }}", value=value)


GROWING = (
    "{% set ns = namespace(x=SEED) %}{% for i in range(99999) %}{% set ns.x = STEP %}{% endfor %}"
)
ENDLESS = "{% for i in range(99999) %}{% for j in range(99999) %}BODY{% endfor %}{% endfor %}"
TWICE = "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}"
BIG = "{% set big = 'x' * 900000 %}"


def growing(seed: str, step: str) -> str:
    """A loop that makes a value larger and larger."""
    return GROWING.replace("SEED", seed).replace("STEP", step)


HOSTILE = [
    "{{ 'a'.ljust(2000000000)|length }}",
    "{{ 'a'.rjust(2000000000)|length }}",
    "{{ 'a'.center(2000000000)|length }}",
    "{{ '1'.zfill(2000000000)|length }}",
    "{{ '\t'.expandtabs(2000000000)|length }}",
    "{{ 'a'|center(2000000000)|length }}",
    "{{ 'a\na'|indent(1000000000)|length }}",
    "{{ ('a ' * 400000)|wordwrap(1, wrapstring='x' * 900000)|length }}",
    BIG + "{{ big|replace('x', big)|length }}",
    BIG + "{{ big.replace('x', big)|length }}",
    BIG + "{{ big.join(big)|length }}",
    BIG + "{{ big|join(big)|length }}",
    BIG + "{{ big.translate({120: big})|length }}",
    BIG + "{% for i in range(99999) %}{% if big == big ~ 'y' %}{% endif %}{% endfor %}",
    BIG + "{{ (big|list|batch(1)|list|tojson)|length }}",
    "{{ '%2000000000d' % 1 }}",
    "{{ '%.2000000000f' % 1.0 }}",
    "{{ '%*d' % (2000000000, 1) }}",
    "{{ '{:2000000000}'.format(1) }}",
    "{{ '{:{}}'.format(1, 2000000000) }}",
    "{{ '%2000000000d'|format(1) }}",
    "{{ 'x' * 2000000000 }}",
    "{{ [1] * 2000000000 }}",
    "{{ (1, 2) * 1000000000 }}",
    "{{ 9 ** 9 ** 9 }}",
    "{{ 2 ** 2000000000 > 1 }}",
    "{{ (9 ** 99999) ** 9999 > 1 }}",
    growing("99999", "ns.x * ns.x"),
    growing("'ab'", "ns.x ~ ns.x"),
    growing("'ab'", "ns.x + ns.x"),
    growing("[1]", "ns.x + ns.x"),
    growing("'ab'", "ns.x|replace('a', 'abab')"),
    growing("{}", "dict(ns.x, **{i|string: 'x' * 900000})"),
    growing("[]", "ns.x + ['x' * 900000 ~ i]"),
    ENDLESS.replace("BODY", ""),
    ENDLESS.replace("BODY", "{% set x = 1 %}"),
    ENDLESS.replace("BODY", "{{ '' }}"),
    "{% for i in range(99999)|list|sort %}{{ range(99999)|sum }}{% endfor %}",
    TWICE + "{{ ns.x|tojson }}",
    TWICE + "{{ ns.x == ns.x ~ '' }}{{ ns.x }}",
    TWICE + "{{ ns.x|string|length }}",
    "{{ lipsum(n=1000000) }}",
    "{{ lipsum(n=1, min=100000000, max=100000001) }}",
    "{% macro f(n) %}{{ f(n + 1) }}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "{% for x in [[[[]]]] recursive %}{{ loop(x) }}{{ loop([[]] * 9999) }}{% endfor %}",
    "{{ range(99999)|map('string')|map('center', 99999)|join|length }}",
    "{{ (range(99999)|list|slice(99999)|list * 999)|length }}",
    "{{ 1.5|round(999999999)|string|length }}{{ 10 ** 999999999 }}",
    "{{ cycler(*range(99999)) }}{{ 'x'.encode('utf-8') * 2000000000 }}",
    "{{ ('(' * 99999)|urlize|length }}{{ ('http://' * 99999)|urlize|length }}" + ENDLESS,
    "{{ ('<' * 900000)|striptags|length }}" + ENDLESS,
]


def batched(bodies: list[str]) -> Iterator[list[str]]:
    """Two at a time: so many are rendered at once."""
    for start in range(0, len(bodies), 2):
        yield bodies[start : start + 2]


async def test_a_hostile_template_is_refused_and_others_are_served_meanwhile(
    mem: AsyncTenant, runtime: Runtime
) -> None:
    """a6: none of them can take much time or memory, and none of them blocks the loop."""
    served = 0

    async def serve() -> None:
        nonlocal served
        while True:
            await mem.get_memory("ada", "nothing")
            served += 1

    serving = asyncio.create_task(serve())
    kept: list[str] = []
    for bodies in batched(HOSTILE):
        before = served
        answers = await asyncio.gather(
            *(runtime.parts.templates.render(body, {}) for body in bodies), return_exceptions=True
        )
        assert all(isinstance(answer, str | TemplateError) for answer in answers), answers
        assert served > before, bodies
        kept += [answer for answer in answers if isinstance(answer, str)]
    serving.cancel()

    assert sum(map(len, kept)) <= len(kept) * MAX_RENDERED


MEASURE = """
import asyncio, json, resource, sys
from longterm.errors import TemplateError
from longterm.memory.template_renderer import TemplateRenderer

async def main():
    renderer = TemplateRenderer()
    for body in json.load(sys.stdin):
        try:
            await renderer.render(body, {})
        except TemplateError:
            pass
    await renderer.close()

asyncio.run(main())
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces the limit")
def test_a_template_takes_no_more_memory_than_its_limit() -> None:
    """a6: measured in a program of its own, because the tests have other children too."""
    hungry = [
        "{{ 'a'.ljust(2000000000)|length }}",
        BIG + "{{ big.translate({120: big})|length }}",
        growing("'ab'", "ns.x ~ ns.x"),
        growing("[]", "ns.x + ['x' * 900000 ~ i]"),
    ]

    measured = subprocess.run(
        [sys.executable, "-c", MEASURE],
        input=json.dumps(hungry),
        capture_output=True,
        text=True,
        check=True,
    )

    assert int(measured.stdout) <= MAX_MEMORY_BYTES


async def test_a_template_that_is_only_set_is_not_evaluated(mem: AsyncTenant) -> None:
    """a6"""
    await mem.set_template("t", "{{ 'a'|center(2000000000)|length }}")

    with pytest.raises(TemplateError, match="needs more than"):
        await mem.render_template("t")
