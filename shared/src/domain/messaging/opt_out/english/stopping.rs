//! Commands to end the texts, in words of ending: stop, quit, no more, enough.

use crate::domain::messaging::opt_out::grammar::{OptOutRule, RULE};

pub(super) const RULES: &[OptOutRule] = &[
    OptOutRule {
        name: "asks to stop texting",
        find: r"\b<end>(?: <det>)*(?:(?: the| calling| emailing| and| or| ,))* <reaching>\b",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant )?",
        after: r" out\b| while driving| (?:him|her|them|my (?:wife|husband|tenants?|mom|dad))\b.*\b(?:text|call|use) me",
        ..RULE
    },
    OptOutRule {
        name: "asks why we do not stop",
        find: r"\b(?:if|why|when|unless|until|will|can|could|would)(?: will| do| cant| wont| dont)? (?:you|yall|this|these|you people|you guys|they|this thing)(?: people| guys| ever| texts| messages)?(?: dont| wont| cant| not| didnt| havent| all| just| please| finally)* (?:stop|quit|cease)(?: <det>)* (?:<reaching>|<things>|calling|sending)",
        before: r"(?:dont|the|my) ",
        sentence: r"\bif you (?:stop|quit)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks why we do not stop",
        find: r"\bwhy (?:wont|cant|dont) (?:you|yall|you people|you guys|this|these|these texts)(?: just| ever| please)? stop\b",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop the messages",
        find: r"\b(?:quit it|stop it|cut it out|knock it off|lay off|ease up|enough) (?:already )?with(?: <det>)* <things>\b",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant |should )?",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop sending",
        find: r"\b<end>(?: <det>)* sending(?: me| us| out| this number| to| my \w+| this \w+| anyone)?(?: <det>)*(?: <stuff>\b| $| ,| and| or| please| anymore| again)",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant )?",
        after: r" (?:guys|techs|people|bills|invoices|estimates|quotes|someone|the|different|a|mail|mailers|one|crew|crews|water|power|current|guy|invoice|estimate|to my (?:old|work|other))\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop calling",
        find: r"\b<end>(?: <det>)* (?:calling|ringing|phoning|dialing)(?: <me>| <again>| please| and| or| ,| $)",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant )?",
        message: r"<textme>",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop the messages",
        find: r"\b(?:<end>|end|disable|deactivate|suspend|block|terminate|eliminate|refuse|decline|cancel|kill|cut out|cut off|cut|knock off|lay off|turn off|shut off|turning off|drop|cancel out|get rid of|ditch|mute)(?: <det>)* <things>\b",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant |should )?|(?:i|we|ill|just|will|had to|need to|to|please|can you) (?:block|cut|drop|kill|decline|mute)?",
        after: r" (?:sign|when|while|board|at the|on the (?:roof|house|truck|yard|wall))\b| and (?:drive|driving)",
        sentence: r"\b(?:junk (?:in|on|from|out|pile)|junk removal|the junk|ads on)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop the messages",
        find: r"\b(?:please|can you|could you|pls|to|and|just|need to|kindly|want to|like to) (?:<end>|end|disable|deactivate|suspend|block|terminate|cancel|turn off|shut off|cut out|mute)(?: <det>)* <things>\b",
        before: r"(?:<other>|dont|didnt|never|not)(?: \w+){0,3} ",
        sentence: r"\b(?:junk (?:in|on|from|out|pile)|junk removal|the junk|ads on)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks how to stop the messages",
        find: r"\bhow (?:do|does|can|could|would|should|to)(?: i| we| you| one| someone)?(?: make)?(?: <det>)* (?:<end>|end|disable|block|cancel|turn off|shut off|get rid of|mute|get out of|get off|get off of)(?: <det>)* (?:<things>|<reaching>|sending|texts?|messages?)\b",
        before: r"(?:i know|show me|show you) ",
        sentence: r"\b(?:junk (?:in|on|from|out|pile)|the junk|ads on)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop all contact",
        find: r"\b(?:<end>|end|terminate|no)(?: (?:all|any|the|further|future|this|your|every|more|unwanted|with|me|with me|direct))* (?:contact|correspondence|communication|communications|outreach)\b",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant )?|(?:have|had|has|got|get|left|there is|theres|there was|made|with|at|in) ",
        after: r" (?:number|info|information|yet|from (?:the|my|your)|with (?:the|my)|is|was|has|on|at|in|name|person|breaker|wire|since|listed)\b",
        message: r"\b(?:breakers?|wires?|relay|switch|outlets?|panel|thermostat)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop text",
        find: r"\b(?:stop|quit|cease|discontinue|halt|stopsign)(?: (?:the|all|this|these|your|any|ur|with|with the|with your|with these))*(?: \w+ing)? (?:text|message|msg)(?: me| us| please| $| ,| to| and| or)",
        before: r"<denied> |<other> ",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop the notices",
        find: r"\b(?:<end>|end|disable|deactivate|cancel|turn off|shut off|terminate|no more|turn)(?: <det>)* <notices>\b",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant |should )?|there (?:are|were|is) |(?:got|get|have|had) ",
        after: r" (?:today|tonight|on (?:the|my)|from (?:the|my)|than|(?:to )?(?:the|my|our|his|her|their|that) (?:old|other|previous|wrong|work|former))\b",
        sentence: r"\b(?:detectors?|alarm|thermostat|camera|panel|sensor|ring|nest|service calls?|tenants?|smoke|house calls?|emergency calls?|monitor|breaker|meter|price|schedule)\b",
        message: r"<textme>",
        ..RULE
    },
    OptOutRule {
        name: "asks to turn the messages off",
        find: r"\b(?:turn|shut|cut|switch)(?: <det>)* (?:<things>|alerts|notifications|reminders|updates|them|these|this) off\b",
        before: r"<denied> ",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "wants no more messages",
        find: r"\bno (?:more|further|additional|longer|future|mas)(?: <det>)* (?:<things>|contact|contacts|texting|calling|text|message|reaching out|bothering|emails or|calls or|sms|from you|of your|of these|of this)\b",
        before: r"(?:there (?:are|is|were|was|have been|has been)|have|had|got|getting|get|see|saw|received|receive|hear|heard|left|leave|be|been|with|i|accepts?|does) ",
        after: r" (?:than|until|today|tonight|for today|work|leaks?|trouble|crap|mess|shit|on the|with the (?:leak|other|inspector))\b",
        ..RULE
    },
    OptOutRule {
        name: "wants no messages",
        find: r"^ (?:please |thanks |no thanks |hi |hello |hey |sorry |im good |, |i said |just |email only |emails only |i only want emails |only want emails |i prefer emails? |prefer emails? )*(?:no|no more)(?: more| no| or| and| ,| calls?| emails?| marketing| promotional| promo| automated| sales| unsolicited| advertising| spam)* (?:texts?|messages?|mensajes|sms|spam|solicitations?|soliciting|marketing|ads|advertising|advertisements|texting|messaging|contact|promotions|promos|text messages|mms)(?: or| and| ,| no| more| calls?| emails?| texts?| messages?| texting| calling)*(?: (?:please|thanks|allowed|to this number|to my (?:phone|cell|number)|at all|anymore|ever|needed|wanted|from you|from (?:your|this) company|at this number|here|to me|i|im|serious|again))* $",
        ..RULE
    },
    OptOutRule {
        name: "wants emails instead",
        find: r"\b(?:only|just|rather|prefer|want|like|use|by|through|email|emails)(?: to)?(?: get| receive| have)? (?:emails?|only|mail)(?: only| please| instead)* ,? ?(?:and |but |but please )?(?:no|not|dont|never|stop)(?: more| send| by| via)* (?:texts?|texting|messages|text messages|sms|me)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to make the messages stop",
        find: r"\b(?:make|making|get)(?: <det>)* (?:<things>|texts?|messages?) (?:to )?(?:stop|end|quit|go away|cease)\b",
        before: r"<denied> ",
        ..RULE
    },
    OptOutRule {
        name: "asks how to stop the messages",
        find: r"\bwhat(?: word| code| number)? (?:do|should|can|must|would|shall) (?:i|we) (?:have to |need to )?(?:text|say|type|reply|send|write|press)(?: \w+){0,2} to (?:<end>|end|unsubscribe|optout|get off|get out|be removed|be taken off)\b",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "asks why we text at all",
        find: r"\bwhy (?:am i|are we|do i|do we|i am|im)(?: still| even| always| constantly)* (?:keep )?(?:getting|get|receiving|receive)(?: all| so many| of| these| those| your| this)* (?:texts|messages|spam|ads|promotions|text messages?)\b",
        after: r" (?:twice|two|double|again|so late|late|about (?:my|the)|for (?:my|the)|from (?:the|my|another)|if|when|instead)\b",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop asking",
        find: r"\b<end> (?:asking|begging|trying|insisting|calling and texting|it with the)(?: me| us)?(?: already| please| now| thanks| ,)* $",
        before: r"<denied> |<other> ",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "says we bother them",
        find: r"\b(?:you|youre|ur|you guys|you people|yall|your company|(?:your|these|the|all these|all your|this) (?:<things>|texting))(?: are| is| keep| keeps| have been| has been| were| just| really| constantly| always)* (?:bothering|annoying|harassing|bugging|disturbing|spamming|pestering|stalking|waking) (?:me|us|my (?:family|wife|husband|kids|mom))\b",
        before: r"(?:if|hope|not|hopefully) ",
        message: r"\b<job>\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "blocks or reports us",
        find: r"^(?: ok| okay| bye| goodbye| you| youre| ur| your| this| number| are| been| have| i| ive| im| now| just| already| consider| yourself| and| going| gonna| to| be| being| getting| as| spam| junk| scam| ,| well| fine)*? (?:blocked|reported|blocking|reporting)(?: and| blocked| reported| blocking| reporting| deleted| deleting| you| your| this| number| now| bye| thanks| as| spam| junk| scam| to| my| the| carrier| fcc| ftc| bbb| att| verizon| tmobile| phone| company| provider| for| harassment| authorities| spamming| ,)* $",
        message: r"\b<job>\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "has had enough of the messages",
        find: r"\b(?:enough(?: already)?(?: of| with)?|tired of|sick of|sick and tired of|fed up with|done with|had it with|cant stand|annoyed (?:by|with|at)|hate|dont like|too many|dont care for|dont appreciate)(?: you| yall| you guys| you people)?(?: <det>)* (?:<things>|<reaching>)\b",
        before: r"(?:did you get|not|isnt|is that|have|are there|there are|got) ",
        after: r" (?:on the|in the|about the|so)\b| , (?:call|just)",
        sentence: r"\bhate texting\b|\b(?:sent|send) too many\b",
        asked: false,
        ..RULE
    },
];
