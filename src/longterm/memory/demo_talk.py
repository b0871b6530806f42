"""The demo: what somebody said on four days, so that a new page has something to show."""

from datetime import timedelta

# How long ago, then question and answer by turns.
TALK: tuple[tuple[timedelta, tuple[tuple[str, str], ...]], ...] = (
    (
        timedelta(days=9, hours=4),
        (
            (
                "Hi! My name is Robin and I live in Lisbon.",
                "Nice to meet you, Robin! How is Lisbon treating you?",
            ),
            (
                "Lovely. I work as a landscape architect, mostly for small parks.",
                "Parks are the best rooms of a city. What are you working on at the moment?",
            ),
            (
                "A pocket park in Alfama. I prefer native plants to lawns.",
                "Good choice: **lavender**, **rosemary** and *Cistus* need little water there.",
            ),
        ),
    ),
    (
        timedelta(days=6, hours=2),
        (
            (
                "I'm vegetarian, by the way. Any idea for dinner tonight?",
                "How about this:\n\n1. chickpeas with spinach\n2. grilled peppers\n3. a glass of "
                "vinho verde",
            ),
            (
                "Perfect. My favorite café is Café Janis, they make great chickpea salad.",
                "I will keep Café Janis in mind for you.",
            ),
            (
                "My sister Ana is visiting on the weekend.",
                "How nice! Does Ana like gardens as much as you do?",
            ),
        ),
    ),
    (
        timedelta(days=3, hours=5),
        (
            (
                "Could you write me a Python line that adds up the beds? [12, 8, 20] square metres",
                'Of course:\n\n```python\narea = sum([12, 8, 20])\nprint(f"{area} m²")\n```',
            ),
            (
                "Please always answer in metric units.",
                "Noted: metres, litres and degrees Celsius.",
            ),
            (
                "The deadline for the Alfama park is the end of next month.",
                "Then the planting plan should be done two weeks earlier.",
            ),
        ),
    ),
    (
        timedelta(hours=3),
        (
            (
                "Big news: I moved to Porto! I live in Porto now.",
                "Congratulations, Robin! I will remember Porto from now on.",
            ),
            (
                "Thanks! I'm allergic to peanuts, so no satay for the party, please.",
                "No peanuts, and nothing with meat. The menu gets clearer.",
            ),
            (
                "What do you know about me so far?",
                "You are Robin, a landscape architect in Porto, vegetarian, allergic to peanuts, "
                "and you like native plants.\n\n| then | now |\n|---|---|\n| Lisbon | Porto |",
            ),
        ),
    ),
)
PLACE = ("cafe-janis", "Café Janis", "Robin's favorite café; great chickpea salad.", 8)
"""Its id, name and notes, and which of the messages speaks of it, from 0 on."""

TITLE = "Robin, Lisbon and Porto (demo)"
EPISODE_TURNS = 6
