//! Refusals that name the texts or the sender and end them in other words: switched off, not wanted, threatened.

use crate::domain::messaging::opt_out::grammar::{OptOutRule, RULE};

pub(super) const RULES: &[OptOutRule] = &[
    OptOutRule {
        name: "asks to be left alone",
        find: r"\b(?:want|like|need|wish|prefer|ask|asked|please)(?: to| i)?(?: be| get)? left alone\b",
        before: r"<denied> ",
        sentence: r"\b(?:job|<trabajo>|dog|cat|wall|pipe|old)\b",
        ..RULE
    },
    OptOutRule {
        name: "says it is somebody else's number",
        find: r"\b(?:no longer|doesnt|dont|not) (?:has|have|own|owns|use|uses) (?:this|that) (?:number|phone|cell)\b",
        before: r"(?:i|we) ",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:take|get|keep|leave|cross|scratch) (?:me|us|him|her|(?:my|our|this|his|her) (?:number|name|cell|phone)) off(?: (?:please|thanks|now|it|this|immediately|asap))* $",
        before: r"<denied> |(?:will|ill|did you|you) ",
        sentence: r"\b(?:hold|schedule|roof|calendar|bus|monday|tuesday|wednesday|thursday|friday)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off the list",
        find: r"\b(?:remove|delete|take|drop|strike) (?:\w+ ){1,3}?(?:from|off|of) (?:the|your|this|any|all) (?:\w+ )?(?:lists?|database|texts|texting|messages|records)\b",
        before: r"<denied> |(?:i|we|ill) ",
        sentence: r"\b(?:<job>|punch|[0-9]+ ?[ap]m|[ap]m|parts|price|material|materials|waiting|wait|to ?do|item|items|line|shopping|ones?|and add|instead)\b",
        ..RULE
    },
    OptOutRule {
        name: "gives no permission",
        find: r"\b(?:not|no|never|arent|isnt|dont have|have no|without) (?:my |the |any )?(?:authorized|authorised|allowed|permitted|permission|consent|authorization|authorize|welcome)(?: you)? to (?:text|contact|message|reach|use|send|solicit|email)\b",
        before: r"(?:im|i am|we are|were) ",
        ..RULE
    },
    OptOutRule {
        name: "wants no requests for reviews",
        find: r"\b(?:dont|stop|quit|never|no more) (?:ask|asking|beg|begging|request|requesting|send|sending)(?: me| us)?(?: for| to)?(?: leave| write)?(?: any| a| more| your)? (?:reviews?|feedback|ratings?|surveys?)\b",
        ..RULE
    },
    OptOutRule {
        name: "needs none of our texts",
        find: r"\b(?:dont|do not|no longer) (?:need|want|require|care for|wish for) (?:the |any |your |all |more |these |those |to get |to receive |all these )*(?:follow ?ups?|texts|messages|reminders|notifications|updates|alerts|communications?|spam|promos?|promotions|newsletters?)\b",
        sentence: r"\b<job>\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "wants nothing more from us",
        find: r"\b(?:nothing|no) (?:else|more|further)(?: \w+)? from (?:you|your|yall|this)\b|^ (?:please |thanks |, )*nothing (?:else|more|further)(?: please| thanks)* $",
        sentence: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "would rather not be texted",
        find: r"\b(?:appreciate|prefer|like|rather|love|want|wish|ask|choose)(?: to| it if (?:i|we) (?:was|were|am|are))?(?: please)? (?:not (?:to )?)(?:be|being|get|getting|have been) (?:\w+ )?<reached>\b",
        after: r"<limit>",
        ..RULE
    },
    OptOutRule {
        name: "asks how to end them",
        find: r"\b(?:possible|a way|any way|able|how|want|like|need) (?:to|do i|can i|for you to) (?:please )?(?:stop|end|halt|block|turn off|get rid of|silence) (?:these|them|this|all (?:of )?(?:these|this|them)|the texts|your texts|getting (?:these|this|them)) $",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "is not interested in us",
        find: r"^ (?:hi |hello |sorry |no |thanks |, |im |were |we are |really |i am )*not interested (?:, )?(?:bye|goodbye|in (?:you|your (?:services?|company|business|offers?|texts)|whatever|anything|what|any of)|whatsoever|and never|leave|go)\b",
        message: r"\b(?:<job>|but|plan|warranty|membership|program)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:could|can|may|might|shall) (?:i|we|my (?:name|number)|this number) (?:please |kindly )?(?:be|get) (?:taken off|removed|deleted|unsubscribed|dropped|opted out)\b",
        sentence: r"\b<booked>\b",
        ..RULE
    },
    OptOutRule {
        name: "switches the texts off",
        find: r"\b(?:switch|turn|shut|cut|kill) (?:off|down|out)? ?(?:all |the |these |those |your |my |any |of )*(?:texts?|messages?|notifications|alerts|reminders|texting|sms|updates|spam)(?: off| down)?\b",
        before: r"<denied> |(?:dont|didnt) ",
        sentence: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "wants nothing from us",
        find: r"\b(?:dont|do not|doesnt|didnt|never) (?:want|need|wish|care) (?:for |to (?:get|have|see|hear|receive) )?(?:anything|nothing|any|any of this|any of it|this|these|none|one more thing|another (?:thing|word)|to hear) (?:else )?(?:more )?(?:from|of) (?:you|your|yall|this|these|them)\b",
        sentence: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "threatens over the next text",
        find: r"\b(?:(?:one|1) more|another|the next|next|any more|if i get another) (?:text|message|texts|messages|word)\b.*\b(?:lawyer|attorney|sue|suing|report|reporting|complaint|fcc|ftc|bbb|better business|police|cops|block|blocking|legal|court|(?:one|1|zero|0|bad|negative|terrible|awful) (?:star|stars|review|reviews))\b|\b(?:text me|texting me|keep texting|message me|contact me) (?:again|once more|one more time)?\b.*\b(?:lawyer|attorney|sue|suing|report|reporting|complaint|fcc|ftc|police|cops|block|blocking|legal|court)\b|\b(?:lawyer|attorney|sue|suing|report|complaint|fcc|ftc|police|cops|legal|court)\b.* if (?:you|i|this|yall|u) (?:ever |keep |dare )?(?:text|texting|message|messaging|contact|contacting|get|receive|hear)\b",
        sentence: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "has enough of us",
        find: r"\b(?:sick(?: and tired)?|tired|fed up|so done|over|done) (?:of|with) (?:you|your|yall|these|all these|all the|the|getting|all your) ?(?:people|guys|texts?|messages?|spam|crap|shit|company|texting|messaging|bs)?(?: people| already| now)? $",
        sentence: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "hates the texts",
        find: r"\b(?:hate|cant stand|despise|dont like|dislike|loathe) (?:it when you |when you )?(?:getting |receiving |all )?(?:these|this|those|your|the|you)? ?(?:texts?|messages?|texting|messaging|spam|solicitations?|these|this|people)(?: me)? $",
        sentence: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "asks not to be answered",
        find: r"\b(?:dont|do not|please dont) (?:text|message|reply|respond|write|answer|msg)(?: me)? (?:back|again|anymore|to me|to this)(?: please| thanks| ever| again)* $",
        before: r"(?:you|they|he|she|i|we|guys|why) ",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "says it is somebody else's number",
        find: r"\b(?:this )?(?:thisisnt|this is not|isnt|not) (?:the |a )?(?:right |correct )?(?:number (?:for|of)|\w+s (?:number|phone|cell))\b|\b(?:previous|former|old|last) (?:owner|person|user|holder) (?:of (?:this|the) (?:number|phone)|is gone|had this|of it)\b|\b(?:just|recently) got (?:this|a new|the) (?:number|phone|sim)\b|\bno(?: one| body|body)? (?:here )?(?:by|of|with) (?:that|this) name\b|\bthis number (?:now )?(?:belongs to|was reassigned|has been reassigned|is no longer)\b",
        sentence: r"\b<job>\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "asks who keeps texting",
        find: r"\b(?:who|why)(?: <curse>)?(?: the)?(?: hell| fuck)? (?:is|are|do|does|keeps?|you|u)(?: (?:this|you|u|it|still|people|guys|keep|keeps|even))* (?:texting|messaging|spamming|bothering|contacting|harassing)\b",
        after: r" (?:you|him|her|them|about|with|the|my|from) ",
        before: r"(?:know|wonder|see) ",
        sentence: r"\b(?:<job>|late|instead)\b|^ who is (?:this )?(?:texting|messaging|contacting)(?: please)? $",
        ..RULE
    },
    OptOutRule {
        name: "ends the talk",
        find: r"\b(?:conversation|this|we|were|im|i am|are) (?:is )?(?:over|done|finished|through)\b.*\b(?:text|message|contact|reply|write|messages|texts)\b",
        before: r"(?:not|isnt|when|after|once) ",
        sentence: r"\b<job>\b",
        ..RULE
    },
];
