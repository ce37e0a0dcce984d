"""What a language model is asked about texts, and what is believed of its answers.

    prompt   -> the question: instructions with examples, known entities, numbered passages
    schema   -> the shape of the answer
    reading  -> JSON out of whatever came
    finding  -> the facts and entities in it
    drafts   -> each fact checked against the text: mentions, dates (dates, date_spans, date_words), ground
    flaws    -> what was wrong with an answer, by name

`Extractor` draws facts from a text, `Judge` compares them with those that stand: one question each.
"""
