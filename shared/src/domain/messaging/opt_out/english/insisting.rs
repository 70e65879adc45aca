//! Refusals that are repeated or indirect: never again, no part of it, told before, told through another person.

use crate::domain::messaging::opt_out::grammar::{OptOutRule, RULE};

pub(super) const RULES: &[OptOutRule] = &[
    OptOutRule {
        name: "wants no more",
        find: r"^ (?:please |thanks |no |no thanks |done |im done |ok |, |seriously |(?:youve|you have) been (?:told|warned) )*(?:no more|never again|not anymore|no further|nothing further)(?: please| thanks| ok| from you| of (?:this|these|it)| ,)* $",
        message: r"\b<job>\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "wants no more",
        find: r"\b(?:dont|not|never)(?: want to| ever)? (?:get|receive|see|hear) (?:another|one more|any more|anymore|more) (?:of (?:these|those|this|your)|one|texts?|messages?|word)\b",
        before: r"(?:if|in case|did|so)(?: i| we)? ",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\btak(?:e|ing) (?:my|this|our) (?:\w+ )?(?:number|name|info|contact) out\b",
        before: r"<denied> |(?:i|we|ill|did you) ",
        message: r"\b(?:will|lien|deed|mailbox|sign|title|contract|invoice|estimate|quote)\b",
        ..RULE
    },
    OptOutRule {
        name: "has had enough",
        find: r"^ (?:please |just |now |you |guys |yall |need to |, |seriously |so )*(?:knock it off|cut it out|quit it|give it a rest|give it up)(?: (?:please|now|already|guys|thanks|people|yall|,))*(?: with (?:the|your|these|all these|those|all the) <things>(?: \w+){0,3})? $",
        message: r"\b(?:<job>|crew|dogs?|music|noise|kids)\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "has said stop",
        find: r"\b(?:told|asked) (?:you|yall)(?: guys| people| all)? (?:to )?(?:please )?(?:stop|quit)(?: (?:already|yesterday|today|twice|before|last (?:week|month|time)|(?:\w+ )?times|\w+ (?:days|weeks) ago|this (?:morning|week)))* $|\bkeep (?:telling|asking|saying)(?: you| yall| to you)?(?: guys| people)?(?: to)? (?:no more|no thanks|no|stop|quit)(?: please| already)* $",
        before: r"(?:he|she|they|who|if|landlord|inspector|city) ",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "gives no permission",
        find: r"\b(?:not once|never|when) did (?:i|we) (?:ever )?(?:agree|consent|sign up|ask)(?: \w+){0,3} (?:texts?|texted|texting|messages?|messaged|messaging|contacted|spammed)\b",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "has had enough",
        find: r"\b(?:you|yall|u|you guys|you people) (?:text|message|contact) (?:me |us )?(?:way |far )?too (?:much|often|many times)\b|\b(?:you|yall|u)(?: guys| people)? keep (?:on )?<reaching>\b.*\b(?:quit it|stop it|knock it off|cut it out|enough)\b|\b<end> sending (?:me|us) (?:\w+ ){0,3}(?:stuff|crap|junk|offers|deals|ads|promos)\b|\bno (?:further|more|additional|other) follow ?ups?(?: please| thanks| is| are| needed| wanted| necessary| required| or wanted| or needed)* $",
        before: r"<denied> ",
        ..RULE
    },
    OptOutRule {
        name: "blocks or reports us",
        find: r"\b(?:your (?:company|number|texts?|business)|this number|you|youre|you are) (?:is |are |has been |have been |now |hereby |being )*blocked(?: now| here| on my phone| by me| ,| bye| too)* $",
        before: r"(?:if|is|are|why|was|think|thought) ",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "wants no part of it",
        find: r"\bwant no part (?:of|in)\b|\b(?:nobody|no one|noone)(?: here)? asked(?: you)? for (?:this|these|your|any)(?: \w+)? $|\bgetting on my (?:last )?nerves\b|^ (?:please )?send (?:me |us )?(?:nothing|no) (?:more|further|else)\b",
        message: r"\b<job>\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "needs none of our texts",
        find: r"\bno (?:need|reason)(?: for you)? to (?:keep |continue )?(?:text|texting|message|messaging|contact|contacting|follow up|following up|write|writing|reach out|reaching out|send|sending)(?: \w+){0,3} (?:again|anymore|further|any longer|any more)\b|\bno (?:need|reason)(?: for you)? to (?:keep|continue) (?:texting|messaging|contacting|following up|writing|reaching out)\b",
        ..RULE
    },
    OptOutRule {
        name: "says that we are not welcome",
        find: r"\b(?:<things>|contact|calls)(?: from \w+| to (?:me|us)| to this \w+)* (?:(?:are|is)(?: no longer| never)+|arent|isnt) (?:welcome|wanted|appreciated|needed|allowed|okay|ok|acceptable)\b|\b(?:number|phone|cell|line) is off ?limits\b",
        ..RULE
    },
    OptOutRule {
        name: "gives no permission",
        find: r"\b(?:didnt|never|dont|havent|did not) (?:authorize|authorized|authorise|allow|allowed|permit|permitted|let|ask|asked)(?: \w+)? to (?:text|message|contact|send|spam|solicit)\b",
        before: r"(?:you|they|he|she) ",
        after: r" (?:him|her|them|it|the|a|my (?:wife|husband|tenants?|mom|dad|landlord|boss))\b",
        ..RULE
    },
    OptOutRule {
        name: "tells us to stop",
        find: r"\btell (?:you |your \w+ |you guys |everyone |everybody )*to (?:please |just )?(?:leave (?:me|us) alone|lose my number|<end>(?: <det>)* <reaching>)\b",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "has asked to be taken off",
        find: r"\b(?:asked|told|requested|requesting|begged|asking|demanded)(?: you| yall)?(?: \w+){0,3} to be (?:removed|taken off|unsubscribed|deleted|left alone)\b",
        before: r"(?:he|she|they) ",
        sentence: r"\b(?:<job>|<booked>)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:number|phone|cell|line|name|info)\b.* (?:remove|delete|erase|drop|take) (?:it|that|this|me)(?: (?:off|from|out|of|please|now|immediately))*(?: (?:your|the|any|all)(?: <ofours>)*(?: <lists>)?)?(?: please| now| thanks)* $",
        before: r"<denied> |new ",
        message: r"\b(?:gate|sign|meter|house|door|bill|invoice|estimate|quote|account|old|new|mailbox|truck|wall)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to forget the number",
        find: r"\b(?:dont|never) (?:save|keep|store) (?:my|our|this) (?:\w+ )?(?:number|info|phone|contact|data)\b",
        before: r"(?:i|we|you|they) ",
        ..RULE
    },
    OptOutRule {
        name: "asks to be left alone",
        find: r"^ (?:please |just |now |hey |, )*(?:get|stay|keep) (?:the \w+ )?(?:off|out) (?:of )?my (?:phone|cell|line|number|inbox)\b",
        ..RULE
    },
    OptOutRule {
        name: "blocks or reports us",
        find: r"\b(?:im|ill|gonna|going to|about to) (?:be )?block(?:ing)? (?:this|it|you|yall)(?: number| now| please| ,| bye| thanks)* $",
        message: r"\b<job>\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "asks to stop",
        find: r"\bcease and desist\b|^ (?:im )?(?:sending|texting|replying|replied|sent|typing)(?: you| the word| with| back)* stop(?: as \w+| like \w+(?: \w+){0,2}| to (?:optout|end|unsubscribe))* $",
        sentence: r"\b(?:<job>|neighbou?r\w*|city|hoa|from (?:the|my|our))\b",
        ..RULE
    },
];
