"""The little words of some languages: they tell a text's language, and nothing of what it is about."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A word that means something in another of these languages is left out (German "die", English "die").
STOP_WORDS: Final[dict[str, frozenset[str]]] = {
    "english": _words(
        """a about above after again all also am an and any are aren't as at be because been before being below between
        both but by can can't could couldn't did didn't do does doesn't doing don't down during each few for from
        further had has hasn't have haven't having he her here hers herself him himself his how i i'm i've if in into
        is isn't it it's its itself just let's me more most my myself no nor not now of off on once only or other our
        ours out over own same she should so some such than that that's the their theirs them themselves then there
        these they they're this those through to too under until up us very was wasn't we were weren't what what's when
        where which while who whom whose why will with won't would you your yours yourself s t d ll m re ve"""
    ),
    "german": _words(
        """aber als am an auch auf aus bei bin bis da damit dann das dass dem den der des dich dir doch du durch ein
        eine einem einen einer eines er es euch für hat hatte haben hier ich ihm ihn ihr ihre im in ist ja kann kein
        keine mein meine mich mir mit nach nicht noch nur oder ohne sehr sein seine sich sie sind so über um und uns
        unser unter vom von vor war waren warum was wenn wer wie wir wird wo wurde zu zum zur"""
    ),
    "french": _words(
        """au aux avec ce ces cette dans de des du elle elles en est et eux il ils je la le les leur leurs lui ma mais
        mes moi mon ne nos notre nous ou où par pas pour qu que qui sa se ses son sont sur ta te tes toi ton tu un une
        vos votre vous été être ont"""
    ),
    "spanish": _words(
        """al como con de del el ella ellas ellos en era es esa ese eso esta este esto fue ha han hay la las le les lo
        los me mi mis muy más no nos o para pero por porque que quien se ser si sin sobre son su sus también te tiene
        tu tus un una uno y ya"""
    ),
}
