"""Writes vectors.json: documents as Twilio's own Python package builds them.

    pip install twilio==9.13.0 && python vectors.py > vectors.json
"""

import json
import sys
from importlib.metadata import version

from twilio.twiml.messaging_response import MessagingResponse
from twilio.twiml.voice_response import Dial, Gather, VoiceResponse

MARKS = "Ann & \"Bob's\" <pipes> ]]> 100 % & more"
ADDRESS = "https://toolbox.example/webhooks/twilio/voice/accept?call=CA1&to=%2B1512&q=\"<'>"


def voice(*verbs):
    response = VoiceResponse()
    for verb in verbs:
        verb(response)
    return response


def ring(response):
    dial = Dial(action="https://toolbox.example/webhooks/twilio/voice/status", answer_on_bridge=True,
                caller_id="+15125550100", timeout=20)
    for number in ("+15125550111", "+15125550112"):
        dial.number(number, url=ADDRESS, status_callback="https://toolbox.example/s?a=1&b=2",
                    status_callback_event="initiated ringing answered completed")
    response.append(dial)


def screen(response):
    gather = Gather(num_digits=1, action=ADDRESS, timeout=8)
    gather.say(MARKS, voice="Polly.Joanna", language="en-US")
    gather.say("Oprima 1.", language="es-US")
    response.append(gather)
    response.hangup()


def message(body):
    response = MessagingResponse()
    response.message(body)
    return response


DOCUMENTS = {
    "empty": voice(),
    "say": voice(lambda r: r.say("Please hold.")),
    "say with a voice": voice(lambda r: r.say(MARKS, voice="Polly.Lupe", language="es-US")),
    "say in other scripts": voice(lambda r: r.say("¡Hola, José! 明日 🚿")),
    "say lines": voice(lambda r: r.say("one\ntwo\tthree")),
    "say nothing": voice(lambda r: r.say("")),
    "say what looks like marks": voice(lambda r: r.say("&amp; &#65; <Hangup/>")),
    "hang up": voice(lambda r: r.hangup()),
    "reject": voice(lambda r: r.reject()),
    "reject as busy": voice(lambda r: r.reject(reason="busy")),
    "reject as rejected": voice(lambda r: r.reject(reason="rejected")),
    "pause": voice(lambda r: r.pause(length=3)),
    "redirect": voice(lambda r: r.redirect(ADDRESS)),
    "ring two phones": voice(ring),
    "ring a phone plainly": voice(lambda r: r.dial(timeout=10).number("+15125550111")),
    "ring nobody": voice(lambda r: r.dial(time_limit=60)),
    "screen": voice(screen),
    "say, then hang up": voice(lambda r: r.say("Goodbye."), lambda r: r.hangup()),
    "answer a text": message("Thanks & see you <soon>"),
    "attributes with lines": voice(lambda r: r.dial(action="a\nb\tc\rd\"e&f<g>'")),
}

about = (f"Written by vectors.py with Twilio's own Python package, twilio {version('twilio')} (twilio.twiml). "
         "Not to be edited by hand.")
json.dump({"about": about, "documents": {name: str(doc) for name, doc in DOCUMENTS.items()}}, sys.stdout, indent=1)
sys.stdout.write("\n")
