//! English: verbs of ending, verbs of reaching people, the things sent, and what else those words are said of.

use super::grammar::{RULE, Rule};

/// Words by what they do in a sentence. A class may use those after it.
pub(super) const CLASSES: [(&str, &str); 20] = [
    // What we send, said so that nothing else can be meant.
    (
        "<things>",
        r"(?:texts|messages|sms|mms|texting|messaging|communications?|correspondence|spam|spamming|solicitations?|promotions|promos|promo texts|ads|advertisements?|advertising|marketing|subscription|newsletters?|text blasts?|blasts|robotexts|robocalls|text alerts|text updates|text reminders|text notifications|text messages?|junk)",
    ),
    // What we send, or what a smoke detector does.
    (
        "<notices>",
        r"(?:alerts|notifications|reminders|emails|calls|updates|offers|follow ?ups|notices|surveys|review requests|calling|emailing)",
    ),
    // Between a verb and what is sent.
    (
        "<det>",
        r"(?:all|any|every|the|these|those|this|your|my|such|further|future|more|me|us|with|automated|automatic|auto|marketing|promotional|promo|annoying|stupid|unwanted|unsolicited|damn|dumb|fucking|sales|bullshit|constant|daily|so|many|much|other|extra|random|phone|group|mass|pesky|ridiculous|endless|getting|receiving|sending|out|please|and|kind|type|business|company|robo|bot|weekly|incessant|generic|useless|dang|bloody|text|texts|messages?|calls|or|of|communications?|crappy|shitty|silly|system|generated|additional|to this number|to my phone|to me|to my number|right now|now|immediately)",
    ),
    // Doing it.
    (
        "<reaching>",
        r"(?:texting|messaging|contacting|bothering|bugging|harassing|spamming|pinging|soliciting|pestering|annoying|disturbing|stalking|hounding|badgering|nagging|hassling|blowing (?:me|us|my (?:phone|cell)|up)|hitting (?:me|us) up|hitting my|reaching out|reaching me|communicating|following up|reminding me|trying to (?:reach|contact|text|sell|call|message)|asking me|asking for (?:a |my )?(?:reviews?|feedback)|advertising|soliciting|marketing to|selling|smsing|writing (?:to )?(?:me|us)|messing with me|being annoying|begging|checking in|texts me)",
    ),
    // To do it.
    (
        "<reach>",
        r"(?:text|message|contact|email|bother|bug|harass|spam|ping|solicit|disturb|pester|sms|reach out|hit (?:me|us) up|hmu|notify|annoy|write|communicate with|follow up with|send (?:texts|messages|me texts|me messages|anything)|market|advertise|badger|hound|talk|speak)",
    ),
    (
        "<reached>",
        r"(?:texted|contacted|messaged|bothered|spammed|solicited|harassed|emailed|notified|disturbed|bugged|pestered|sold to|marketed to|reached out to)",
    ),
    ("<end>", r"(?:stop|quit|cease|discontinue|halt|desist|refrain from|stopsign)"),
    // Things sent, after a verb that has other objects too.
    (
        "<stuff>",
        r"(?:texts?|messages?|sms|stuff|things|crap|shit|junk|anything|these|this|those|them|that|spam|ads|offers|promos?|promotions|alerts|notifications|updates|reminders|emails|more|links|surveys|so many|so much|it|solicitations)",
    ),
    (
        "<me>",
        r"(?:me|us|this number|this line|this phone|this cell|my (?:\w+ )?(?:phone|number|cell|line|mobile)|our (?:phone|number)|here|anyone (?:here|at this)|anybody (?:here|at this)|my family|people)",
    ),
    (
        "<again>",
        r"(?:again|anymore|ever|any longer|no more|from now on|in the future|going forward|ever again|forever)",
    ),
    // A wish for another hour or another message, not for silence.
    (
        "<limit>",
        r"(?: (?:me|us|here|this number|at|to|him|her))? (?:the|a|an|when|if|whenever|as|before|until|till|til|after|at|while|unless|during|on|tomorrow|tonight|today|this (?:morning|afternoon|evening|week|weekend)|back|yet|first|early|earlier|late|later|like|my (?:address|code|info|estimate|quote|invoice)|your (?:address|estimate|quote|invoice|bill|guys|price)|directions|pictures|photos|pics|between|past|for now|in the (?:morning|evening|afternoon)|just yet|about (?:the|my|scheduling|tomorrow|it)|regarding|by|every|so (?:late|early)|this (?:late|early)|that (?:late|early)|too|that|with (?:the|a|an)|through)\b",
    ),
    // Who is in a sentence about somebody else's messages.
    (
        "<other>",
        r"(?:he|she|they|it|who|that|which|(?:the|my|our|his|her|their|other|another|some|those|these|old|last) (?:\w+ )?(?:company|companies|tenants?|renters?|neighbou?rs?|husband|wife|son|daughter|kids?|mom|dad|mother|father|boss|people|guys?|alarm|phone|app|thermostat|system|city|hoa|landlord|insurance|robocallers|scammers|telemarketers|contractor|plumber|roofer|electrician))",
    ),
    // A word that denies, and one that speaks of what was.
    (
        "<denied>",
        r"(?:dont|never|no need to|no reason to|not asking (?:you )?to|(?:dont|didnt|wouldnt|doesnt) (?:need|have|want|mean|wish|ever|say|ask)(?: for)?(?: you| yall| me)?(?: to)?|didnt|did you|have you|has|had|did they|why did (?:you|they)|wouldnt|shouldnt|cant|wont|without|before you|when did you)(?: ever| please| just| even| you| accidentally| really)?",
    ),
    (
        "<lists>",
        r"(?:lists?|database|data base|systems?|records?|rotation|distribution|campaigns?|contacts|directory|texts?|messages?|thread|chain|blasts?|subscriptions?|roster|crm|mailings?|notifications|alerts|updates|promotions|ads|marketing|spam|files?|sms|communications?|mailing|texting|texting list)",
    ),
    (
        "<ofours>",
        r"(?:your|you|ur|the|this|that|these|those|any|all|every|each|of|my|our|phone|text|texts|texting|call|calling|contact|mailing|marketing|messaging|message|sms|spam|email|e mail|customer|client|customers|stupid|damn|fucking|mass|group|sales|automated|auto|promo|promotional|promotions|whatever|company|companys|future|further|send|broadcast|alert|notification|reminder|lead|leads|robo|dumb|annoying|subscriber|solicitation|and|from|off|or|such)",
    ),
    (
        "<mine>",
        r"(?:me|us|this number|this phone|this contact|this line|this cell|this person|(?:his|her|their|my \w+s|the|that|dads|moms) number|my (?:\w+ )?(?:number|numbers|name|phone|cell|info|information|contact|contact info|contact information|data|details|personal info|mobile)|our (?:number|name|info|phone|contact)|(?:the|that) number|number|this (?:phone|cell) number|myself|him|her)",
    ),
    // Lists and entries that are work.
    (
        "<booked>",
        r"(?:schedule|appointment|appt|slot|calendar|waitlist|wait list|waiting list|waiting|invoice|estimate|quote|account|job|plan|warranty|policy|contract|title|permit|bill|autopay|auto pay|group|cancellation|standby|emergency|tuesday|monday|wednesday|thursday|friday|saturday|sunday|speaker|hold|on call|quotes|membership|deed|lease|gate|property|claim)",
    ),
    (
        "<textme>",
        r"(?:(?:just|please|can you|you can|only|instead|but|and|better to|can|rather you|easier to|then) (?:text|message|sms)|(?:text|message|email)(?:ing)? (?:me|us|is|works|only|instead|would|first|please)|prefer (?:a )?(?:text|texts|texting|email|emails|message|messages)|by (?:text|email|message)|texts? (?:is|are) (?:better|best|fine|ok|okay|good|easier)|via text|over text)",
    ),
    ("<curse>", r"(?:(?:the|tf|da) ?(?:hell|fuck|heck|f)?)"),
    (
        "<job>",
        r"(?:water|leak\w*|drip\w*|pipes?|roof\w*|toilets?|faucets?|sinks?|drain\w*|heaters?|hvac|ac|furnace|breakers?|outlets?|panel|power|lights?|electric\w*|plumb\w*|job|work|working|trucks?|driveway|gate|house|door|yard|street|rain\w*|flood\w*|flow\w*|running|noise|alarm|beep\w*|sewer|sewage|gas|shingles?|gutters?|ceiling|attic|basement|kitchen|bathroom|shower|tub|hose|valve|shutoff|pump|meter|appointment|appt|reschedule|schedule\w*|tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|oclock|estimate|quote|invoice|bill|paint\w*|crew|digging|dig|hammering|drill\w*|install\w*|repair\w*|fix\w*|come|coming|visit|found|hired|another company|someone else|went with|corner|(?:on|to|turn|your|the|stay|go) (?:the )?(?:right|left)|road|sign|spraying|burst|wire|wires|sparks?|sparking|smoke|tree|wall|floor|dog|kids)",
    ),
];

/// Of these the first that fits is told to the owner.
pub(super) const RULES: [Rule; 49] = [
    Rule {
        name: "asks to stop texting",
        find: r"\b<end>(?: <det>)*(?:(?: the| calling| emailing| and| or| ,))* <reaching>\b",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant )?",
        after: r" while driving| (?:him|her|them|my (?:wife|husband|tenants?|mom|dad))\b.*\b(?:text|call|use) me",
        ..RULE
    },
    Rule {
        name: "asks why we do not stop",
        find: r"\b(?:if|why|when|unless|until|will|can|could|would)(?: will| do| cant| wont| dont)? (?:you|yall|this|these|you people|you guys|they|this thing)(?: people| guys| ever| texts| messages)?(?: dont| wont| cant| not| didnt| havent| all| just| please| finally)* (?:stop|quit|cease)(?: <det>)* (?:<reaching>|<things>|calling|sending)",
        before: r"(?:dont|the|my) ",
        sentence: r"\bif you (?:stop|quit)\b",
        ..RULE
    },
    Rule {
        name: "asks why we do not stop",
        find: r"\bwhy (?:wont|cant|dont) (?:you|yall|you people|you guys|this|these|these texts)(?: just| ever| please)? stop\b",
        message: r"\b<job>\b",
        ..RULE
    },
    Rule {
        name: "asks to stop sending",
        find: r"\b<end>(?: <det>)* sending(?: me| us| out| this number| to| my \w+| this \w+| anyone)?(?: <det>)*(?: <stuff>\b| $| ,| and| or| please| anymore| again)",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant )?",
        after: r" (?:guys|techs|people|bills|invoices|estimates|quotes|someone|the|different|a|mail|mailers|one|crew|crews|water|power|current|guy|invoice|estimate|to my (?:old|work|other))\b",
        ..RULE
    },
    Rule {
        name: "asks to stop calling",
        find: r"\b<end>(?: <det>)* (?:calling|ringing|phoning|dialing)(?: <me>| <again>| please| and| or| ,| $)",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant )?",
        message: r"<textme>",
        ..RULE
    },
    Rule {
        name: "asks to stop the messages",
        find: r"\b(?:<end>|end|disable|deactivate|suspend|block|terminate|eliminate|refuse|decline|cancel|kill|cut out|cut off|cut|knock off|lay off|turn off|shut off|turning off|drop|cancel out|get rid of|ditch|mute)(?: <det>)* <things>\b",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant |should )?|(?:i|we|ill|just|will|had to|need to|to|please|can you) (?:block|cut|drop|kill|decline|mute)?",
        after: r" (?:sign|when|while|board|at the|on the (?:roof|house|truck|yard|wall))\b| and (?:drive|driving)",
        sentence: r"\b(?:junk (?:in|on|from|out|pile)|junk removal|the junk|ads on)\b",
        ..RULE
    },
    Rule {
        name: "asks to stop the messages",
        find: r"\b(?:please|can you|could you|pls|to|and|just|need to|kindly|want to|like to) (?:<end>|end|disable|deactivate|suspend|block|terminate|cancel|turn off|shut off|cut out|mute)(?: <det>)* <things>\b",
        before: r"(?:<other>|dont|didnt|never|not)(?: \w+){0,3} ",
        sentence: r"\b(?:junk (?:in|on|from|out|pile)|junk removal|the junk|ads on)\b",
        ..RULE
    },
    Rule {
        name: "asks to stop text",
        find: r"\b(?:stop|quit|cease|discontinue|halt|stopsign)(?: (?:the|all|this|these|your|any|ur|with|with the|with your|with these))*(?: \w+ing)? (?:text|message|msg)(?: me| us| please| $| ,| to| and| or)",
        before: r"<denied> |<other> ",
        ..RULE
    },
    Rule {
        name: "asks to stop the notices",
        find: r"\b(?:<end>|end|disable|deactivate|cancel|turn off|shut off|terminate|no more|turn)(?: <det>)* <notices>\b",
        before: r"<denied> |<other> (?:will |to |would |doesnt |wont |cant |should )?|there (?:are|were|is) |(?:got|get|have|had) ",
        after: r" (?:today|tonight|on (?:the|my)|from (?:the|my)|than)\b",
        sentence: r"\b(?:detectors?|alarm|thermostat|camera|panel|sensor|ring|nest|service calls?|tenants?|smoke|house calls?|emergency calls?|monitor|breaker|meter|price|schedule)\b",
        message: r"<textme>",
        ..RULE
    },
    Rule {
        name: "asks to turn the messages off",
        find: r"\b(?:turn|shut|cut|switch)(?: <det>)* (?:<things>|alerts|notifications|reminders|updates|them|these|this) off\b",
        before: r"<denied> ",
        message: r"\b<job>\b",
        ..RULE
    },
    Rule {
        name: "wants no more messages",
        find: r"\bno (?:more|further|additional|longer|future|mas)(?: <det>)* (?:<things>|contact|contacts|texting|calling|text|message|reaching out|bothering|emails or|calls or|sms|from you|of your|of these|of this)\b",
        before: r"(?:there (?:are|is|were|was|have been|has been)|have|had|got|getting|get|see|saw|received|receive|hear|heard|left|leave|be|been|with|i|accepts?|does) ",
        after: r" (?:than|until|today|tonight|for today|work|leaks?|trouble|crap|mess|shit|on the|with the (?:leak|other|inspector))\b",
        ..RULE
    },
    Rule {
        name: "wants no messages",
        find: r"^ (?:please |thanks |no thanks |hi |hello |hey |sorry |im good |, )*(?:no|no more) (?:calls (?:or|and) texts|calls (?:or|and) messages|emails or texts|texts?|messages|mensajes|sms|spam|solicitations?|soliciting|marketing|ads|advertising|texting|messaging|contact)(?: or (?:calls|texts|emails|messages|calls or emails))*(?: (?:please|thanks|allowed|to this number|at all|anymore|ever|needed|wanted|from you|at this number|here|to me))* $",
        ..RULE
    },
    Rule {
        name: "has had enough of the messages",
        find: r"\b(?:enough(?: already)?(?: of| with)?|tired of|sick of|sick and tired of|fed up with|done with|had it with|cant stand|annoyed (?:by|with|at)|hate|dont like|too many|dont care for|dont appreciate)(?: <det>)* (?:<things>|<reaching>)\b",
        before: r"(?:did you get|not|isnt|is that|have|are there|there are|got) ",
        after: r" (?:on the|in the|about the|so)\b| , (?:call|just)",
        sentence: r"\bhate texting\b|\b(?:sent|send) too many\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "asks not to be texted",
        find: r"\b(?:dont|never|do never|dont ever|dont you ever|dont you dare|nobody|no one|not to|must not|shall not|may not|are not to|shouldnt|should not|need not|wouldnt|would not|not|cant|cannot)(?: (?:you|yall|ever|even|again|dare|please|bother|try|to|continue|keep|be|call or|call and|call , |email or|phone or|attempt|under any circumstances))* <reach>(?: (?:or|and|nor|,)(?: \w+)? (?:text|message|call|email|contact|phone|send|mail|bother))*(?: (?:to|with|at))*(?: <me>| <again>| $| ,| please| thanks| and| im| i|ive)",
        before: r"(?:i|we|he|she|they|it|you|who|why|if|that|which|also|so|did|does|do|usually|normally|really|husband|wife|people|tenant|phone|or|am|im|is|are|was|were|whether|has|have|might|its ok to|may|rather|prefer|could|would|will|should|i just|because|since) (?:just |also |really )?|(?:asked|told|tell) (?:him|her|them|my \w+) ",
        after: r"<limit>",
        sentence: r"\b(?:hesitate|dont (?:talk|speak|write|notify|advertise|market)|talk to|let me know)\b",
        ..RULE
    },
    Rule {
        name: "asks not to be texted again",
        find: r"\b(?:dont|never|not|no)(?: \w+){0,3} (?:text|message|contact|email|bother|call|reach out|harass|bug|texting|contacting|messaging|calling)(?: \w+){0,4} <again>\b",
        before: r"(?:i|we|he|she|they|it|you|who|why|if|did|does|husband|wife|can) (?:just |also |really )?",
        sentence: r"\b(?:hesitate|forget|until|till|back|if it (?:leaks|happens|breaks))\b",
        message: r"\bcall\w*\b.*<textme>",
        ..RULE
    },
    Rule {
        name: "would rather not be texted",
        find: r"\b(?:rather|prefer|prefer that|would|could|can|will|appreciate it|appreciate if|like|glad if|great if|if|please)(?: that| it if| if)? you (?:not|dont|didnt|wouldnt|wont|would not|never|would stop|stopped|quit|would quit)(?: \w+)? (?:text|texted|message|messaged|contact|contacted|bother|bothered|texting|messaging|contacting|bothering|sending|send)\b(?: me| us| this| my| anymore| again| $| ,)?",
        after: r"<limit>",
        ..RULE
    },
    Rule {
        name: "has asked us not to",
        find: r"\b(?:asked|told|ask|tell|telling|asking|warned|want|wanted|need|like|prefer|request|requested|demand|requesting|demanding|said)(?: you| yall| you guys| you people| your \w+| that you| u)? (?:not to|to not|not)(?: be| get| ever| be getting)? (?:text|message|contact|email|bother|call|harass|spam|<reached>|called|receive|get)(?: me| us| this number| my phone| anymore| again| $| ,| by| any| texts| messages| these)",
        before: r"(?:he|she|they|dont|didnt) ",
        after: r"<limit>| (?:estimate|quote|bill)",
        message: r"\bcall(?:ed)?\b.*<textme>",
        ..RULE
    },
    Rule {
        name: "asks not to be called",
        find: r"\b(?:dont|never|dont ever|do never|dont you ever|not to|nobody|no one)(?: (?:ever|even|you|again|please|bother|dare))* (?:call|calling|phone|ring|dial)(?: <me>| <again>| $)",
        before: r"(?:i|we|he|she|they|it|you|who|why|if|did|does|also|usually|normally|husband|wife|people|or|because|since) (?:just |also |really )?",
        after: r"<limit>| ,? ?(?:ill|i will|we will|well) (?:call|reach|let)|.* (?:ill call|ill reach|will call you|let you know)",
        sentence: r"\b(?:hesitate|until|till|before|after|asleep|sleeping|at work|in a meeting|baby|ill call|nap)\b",
        message: r"<textme>",
        asked: false,
        ..RULE
    },
    Rule {
        name: "asks not to be sent anything",
        find: r"\b(?:dont|never|stop|quit|not to)(?: (?:you|ever|please|bother|to|even|be|keep|want you to))* (?:send|sending|sent|mail)(?: me| us| this number| out| to me| my \w+)?(?: (?:any|these|those|this|your|more|anymore|the|all|such|of|further|future|other|random|stupid|fucking|so many|automated))* (?:<things>|<notices>|text|message|stuff|things|anything|crap|shit|anymore|offers|these|this|those|nothing|more $|again)\b",
        before: r"(?:i|we|he|she|they|it|you|who|why|if|that|did|does|can|could) (?:just |also |really )?|<denied> ",
        after: r" (?:until|till|before|after|when|yet|if|to (?:my (?:old|work|other|wife|husband)|the|him|her|them|anyone)|through|by|invoices?|invoice|estimates?|bills?|without|about)\b",
        sentence: r"\b(?:send (?:any|more|anymore|other|those|these|the|your|all) (?:guys|techs|workers|people|men|crew)|emails? (?:to|at))\b",
        ..RULE
    },
    Rule {
        name: "asks not to be sent anything",
        find: r"\b(?:dont|never|stop) send(?:ing)? (?:me|us)(?: shit)?(?: ever| again| anymore)* $",
        before: r"(?:i|we|he|she|they|it|you) ",
        ..RULE
    },
    Rule {
        name: "does not want the messages",
        find: r"\b(?:dont|didnt|never|no longer|not|doesnt|wouldnt|no)(?: (?:ever|really|even|longer|wish|anymore|at all))* (?:want|want to|wanted|need|wish|wish to|care|desire|like|appreciate|ask(?:ed)?|asking|request(?:ed|ing)?|interested in|require|accept|looking|agree(?:d)?|authorize|sign(?:ed)? up|subscribe(?:d)?|optin|opt(?:ed)? in|enroll(?:ed)?|register(?:ed)?|approve|interest in|welcome)(?: (?:to|be|get|getting|receive|receiving|for|any|more|your|these|those|this|my|the|anything|else|kind|of|sent|send|you|out|have|keep|continue|continuing|such|from|anymore|all|so many|stupid|annoying|unsolicited|automated|marketing|promotional|phone|random|further|future|daily|be getting|be receiving|reading|hearing|up|in|business|about))*(?: in)? (?:texts|messages|sms|texting|text messages?|text alerts|text updates|text blasts|text|spam|communications?|solicitations?|promotions|promos|ads|marketing|<reached>|notifications|alerts|subscription|newsletters|hear from you|hearing from you|calls or|emails or|offers)\b",
        before: r"(?:he|she|they|if you|did you|why|it|who) (?:just |really )?|that you ",
        after: r" (?:reminder|until|before|after|today|to go|with (?:the|a)|about|yet|when|from (?:my|the)|back|confirmation|the (?:address|code|photos?))\b",
        sentence: r"\b(?:want|need|like) (?:to )?text\b|\bcare (?:if|to)\b|\bdont (?:want|need) (?:to )?(?:be )?text (?:you|him|her)|\bdidnt (?:get|receive)|missed?\b|\bwant you to (?:miss|think)|\bneed(?: any| the| your)? (?:marketing|ads) (?:work|help)",
        asked: false,
        ..RULE
    },
    Rule {
        name: "does not want to hear from us",
        find: r"\b(?:dont|never|no longer|not|wont|rather not|nothing|no)(?: \w+){0,5} (?:hear|hearing|heard) (?:from|another word from)(?: you| your| yall| this| u| ya)",
        before: r"(?:surprised|sad|sorry|if) ",
        after: r" (?:yet|back|until|by|today|yesterday|about|regarding|in|since|on)\b",
        sentence: r"\b(?:have|has|had|havent|hadnt|still|yet|i never heard|we never heard|never heard back|did not hear|didnt hear)\b|\bif i dont\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "never signed up",
        find: r"\b(?:never|didnt|dont remember|dont recall|havent|who|wasnt|not)(?: \w+){0,2} (?:signed up|sign up|signing up|subscribed?|subscribing|opted in|opt in|optin|enrolled|enroll|gave you my (?:number|cell|info)|give you my (?:number|cell|info)|gave you permission|give you permission|gave permission|give permission|gave consent|give consent|consent(?:ed)?|authorized? you)(?: (?:for|to|with))?(?: (?:get|receive|be getting|getting|receiving))?(?: (?:any|your|these|this|it|of|the|that|all|you))*(?: (?:<things>|texts?|<reached>|text me|contact me|message me|call me|contact|send))?(?: anything| at all| with you| for)?(?: $| ,| and| so| please| or| to (?:text|contact|message|call|send|be)| from)",
        before: r"(?:if you|you|he|she|they) ",
        sentence: r"\b(?:if i (?:never|havent)|yet|plan|warranty|membership|maintenance|insurance|financing|mistake|dont have|not have|online|account|portal|enter|park|dig|start|work)\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "takes the consent back",
        find: r"\b(?:revoke|revoking|revoked|withdraw|withdrawing|withdrawn|rescind|rescinding|retract|take back|taking back|remove|cancel|pull|terminate|dont have|do not have|without|never gave|not given|didnt give|dont give|dont|no|never|not have)(?: (?:all|any|my|our|your|you|prior|previous|express|written|the|of|have|giving|give|further|a|by|me|us|hereby|the right|proper))*(?: \w+)? (?:consent|permission|authorization|permissions|authorisation)\b",
        before: r"(?:do i|if you|if i|ask) ",
        after: r" (?:to (?:enter|park|dig|start|use the|cut|go|come|work|do|begin|open|be on|access|replace|remove|install|build|put|proceed|charge|pull)|from (?:the|my|our|hoa|city)|slip|form|for the|yet|on file|before)\b",
        sentence: r"\b(?:hoa|landlord|city|permit|yard|property|gate|inside|roof|order|purchase|card|payment)\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "asks to be taken off",
        find: r"\b(?:remove|removing|delete|erase|drop|purge|scrub|wipe|strike|scratch|unlist|exclude|unenroll|disenroll|expunge|clear|get rid of|take out|rid)(?: out)? (?:<mine>)(?: off| from| out|( please| now| immediately| asap| right now| thanks| today| already| permanently| completely| forever| and| ,| $| anymore| or| i | im )|(?: as a (?:contact|subscriber|lead)))",
        before: r"<denied> |(?:dont|never|not|did you|didnt|dont you|i|we|you|they|couldnt|cant|helped|help|will|drop|to) (?:drop|clear|strike|scratch|wipe|get rid of)?|dont (?:want|need) (?:you )?to ",
        after: r" (?:from )?(?:\w+ ){0,4}<booked>\b| (?:off|from) (?:at|here|the (?:roof|ladder|shop|airport|corner))\b|(?: \w+){0,3} (?:use|put|add|replace|update|change|new number|instead|with)\b",
        sentence: r"\b(?:drop (?:me|us) (?:a|off|an|the)|get rid of (?:him|her|it)|remove him|remove her|clear me|scratch him|the number (?:plate|plaque|sign)|house number|clear number|from the (?:house|mailbox|door))\b",
        message: r"\bnew (?:number|cell|phone|one) is\b|\bchanged (?:my )?number\b|\b(?:old|previous|other|former) (?:number|phone|cell|name)\b",
        ..RULE
    },
    Rule {
        name: "asks to be taken off",
        find: r"\b(?:remove|removing|delete|erase|purge|scrub|unlist|exclude|unenroll)(?: please)? <mine>(?: please)?(?: off| from| out| $| ,| please| now| immediately| asap| and| or)",
        before: r"(?:dont|never|not|did you|didnt|<other>)(?: \w+){0,2} ",
        after: r" (?:from )?(?:\w+ ){0,4}<booked>\b|(?: \w+){0,3} (?:use|put|add|replace|update|change|new number|instead)\b| (?:from|off) (?:the )?(?:house|mailbox|door|roof|wall|sign|truck|estimate|text thread with)\b",
        message: r"\bnew (?:number|cell|phone|one) is\b|\bchanged (?:my )?number\b|\b(?:old|previous|other|former) (?:number|phone|cell|name)\b",
        ..RULE
    },
    Rule {
        name: "asks to be taken off",
        find: r"\b(?:please|just|kindly|and|so) (?:remove|delete|take off|unlist)(?: (?:thanks|now|asap|immediately|please|from list|from your list|permanently|me))* $",
        before: r"<denied> ",
        message: r"\b(?:<job>|old|debris|trash|unit|carpet)\b",
        ..RULE
    },
    Rule {
        name: "says the number is not for texts",
        find: r"\b(?:(?:dont|never|not to|stop|quit) (?:use|using|keep using) (?:this|my|our) (?:number|phone|cell|line)(?: anymore| again| for (?:texts|texting|marketing|this)| to (?:text|contact|message|call|reach)| $)|(?:not|never) to be (?:\w+ )?<reached>\b|(?:this is|its) (?:a|my) (?:\w+ )?(?:number|phone|line) and (?:should not|shouldnt|is not|isnt))",
        before: r"(?:i|we|he|she|they) ",
        after: r"(?: \w+)? (?:until|before|after|tomorrow|when)\b| , (?:use|call|text|its)",
        ..RULE
    },
    Rule {
        name: "wants the messages to end",
        find: r"\b(?:<things>|emails|calls|contact|communication|harassment|this)(?: \w+)? (?:to|need to|needs to|have to|has to|must|should|better|got to|gotta|had better) (?:stop|cease|end|quit)\b",
        before: r"(?:no|dont want(?: the| these)?) ",
        message: r"\b<job>\b",
        ..RULE
    },
    Rule {
        name: "does not want the messages",
        find: r"\b(?:dont|no longer|didnt|not|never)(?: \w+)? (?:want|need|like|wish|care|asking)(?: to)? (?:get|getting|receive|receiving|keep getting|keep receiving|see|be getting|be receiving|hear)(?: any| any of| more of| all)? (?:these|this|them|those|that|it|anything)(?: from you| anymore| ever| again| on my phone| please| at all| stuff| crap| shit)*(?: $| ,)",
        ..RULE
    },
    Rule {
        name: "has said stop",
        find: r"\b(?:i|ive|i have|already) (?:already |just |clearly )*(?:said|told you|told yall|asked you|asked for) (?:no more|enough|to leave me|to be left|to be removed|to be taken off|to lose|not interested)\b",
        message: r"\b<job>\b",
        ..RULE
    },
    Rule {
        name: "asks to be taken off the list",
        find: r"\b(?:take|get|pull|cross|scratch|knock|put|keep|leave|have|remove|removing|delete|drop|strike|taking|getting|cut|count)(?: <mine>)?(?: taken| removed| deleted| please| the (?:hell|fuck|f|heck))*(?: off| of| out of| from| out)+(?: <ofours>)* <lists>\b",
        before: r"<denied> |(?:dont|never|didnt|i|we|will|ill|lets|did you) (?:take|cross|scratch|knock|get|put|drop|cut|keep|have)?",
        after: r" (?:of (?:things|parts|materials|items)|for (?:the|my|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|that|a|this|next)|on the (?:roof|house)|to (?:the|me|you)|i sent|we sent|file|panel|box|breaker|pressure)\b",
        sentence: r"\b(?:wait ?list|waiting list|punch list|parts list|price list|materials? list|shopping list|to ?do list|honey do|cancellation list|emergency list|guest list|standby list|water system|septic system|sprinkler system|hvac system|the system (?:is|was|out)|old system|get (?:the|a|an|your) (?:\w+ )?(?:off|from|out)|(?:get|have|keep|pull|cut|put) (?:off|out|of|from)|(?:cross|take|scratch|knock) (?:that|it|the|off the)|cross off|heard|leave (?:off|of|from|out)|count (?:off|of))\b",
        ..RULE
    },
    Rule {
        name: "asks to be taken off the list",
        find: r"\b(?:off|removed from|deleted from|taken off|dropped from|out of|unsubscribed from|removal from|removed off|erased from|out from)(?: <ofours>)*? (?:your|ur|this|these|any|all|every|texting|text|contact|mailing|marketing|calling|call|spam|sms|messaging)(?: <ofours>)* (?:lists?|database|texts|messages|campaigns?|distribution|sms|communications?|notifications|blasts?|text chain|thread|records)\b",
        before: r"(?:cross|take|scratch|knock|check|took|mark|fell|takes|ran|run|anything|items?|that|it|them|cut) (?:that |it |them |those |this |the \w+ )?|(?:dont|never|didnt|not|wasnt|isnt) (?:\w+ ){0,3}(?:take me |put me |drop me |want to be |remove me |be )?",
        after: r" (?:for (?:the|my|tuesday|tomorrow|today)|of (?:parts|things))\b",
        ..RULE
    },
    Rule {
        name: "asks to be taken off",
        find: r"^ (?:\w+ ){0,3}?(?:take|get|count|opt|leave|cut|want|me) (?:me |us )?(?:off|out)(?: of (?:this|these|it|here|your shit)| of your \w+)?(?: please| now| this| thanks| already| asap| the thing| your thing| this thing)* $",
        before: r"<denied> ",
        message: r"\b(?:<job>|dog|bus|airport|speaker|locked)\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "wants to be removed",
        find: r"\b(?:want|like|need|wish|prefer|requesting|request|ask|asking|demand)(?: to)?(?: be| get| have)?(?: <mine>)? (?:off|removed|taken off|deleted|unsubscribed|removal|out)(?: (?:of|from|your|the|this|these|all|any|please|now|immediately|permanently|asap|system|list|thanks|it|here))* $",
        before: r"(?:dont|didnt|not|never)(?: \w+)? ",
        message: r"\b(?:<job>|stain|debris|trash|carpet|old|unit)\b",
        ..RULE
    },
    Rule {
        name: "asks us to forget the number",
        find: r"\b(?:lose|loose|forget|burn|trash|throw (?:away|out)|erase|block|toss|shred|ditch|discard|delete|remove|unsave|scratch|destroy|dump|forget you have|forget you ever had|get rid of)(?: (?:my|this|our|the|these|out|damn|fucking|phone|cell))+ (?:number|digits|contact|contact info|info|numbers|information|phone|contact information)\b",
        before: r"(?:dont|never|did you|didnt|not|you|they|to|ever|might|accidentally|if i|if you|guess you|must have|will|would|did i|i always|must) (?:want to )?",
        after: r" (?:on the|of the|tag|plate|was|is (?:on|in)|and (?:replace|use|put|update|add|change)|i gave you|from (?:the|my) (?:house|invoice|account|door|mailbox|sign|truck))\b",
        message: r"\bnew (?:number|cell|phone|one) is\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "blocks or reports us",
        find: r"\b(?:blocking|reporting|block|report|blocked|reported|sue|suing)(?: (?:you|u|yall|your (?:number|ass|texts|company|messages|business)|this (?:number|as spam|spam|to the (?:fcc|ftc|attorney|bbb|police|carrier|authorities))|you guys|as (?:spam|junk)|for (?:spam|harassment)|it as (?:spam|junk)|these|this to (?:the )?(?:fcc|ftc|bbb|police|my carrier))\b)",
        before: r"(?:dont|not|wont|never|didnt|are you|accidentally|my phone|phone|if|did i|did it|must have|wouldnt|sorry i|sorry|they|he|she|it|been|keeps|was|were|car is|truck is|truck) (?:mean to |want to |going to )?",
        after: r" (?:in|by (?:mistake|accident)|accidentally|from (?:the|parking|leaving)|truck|trucks|driveway|sorry|view)\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "speaks of the authorities",
        find: r"\b(?:fcc|ftc|tcpa|dnc|dont (?:call|contact|text|disturb)(?: (?:or|and) \w+)? (?:list|registry|register)|attorney general)\b",
        before: r"(?:he|she|they) ",
        ..RULE
    },
    Rule {
        name: "asks to be left alone",
        find: r"\b(?:leave|let|leaving|leav|leve) (?:me|us|my family|this number|my phone|her|him|my (?:wife|husband|mom))(?: <curse>)*(?: (?:hell|fuck|heck))? (?:alone|be $|in peace|tf alone)",
        before: r"(?:dont|didnt|never|not|cant|i|you|they|he|to|wont|couldnt)(?: have to)? ",
        after: r" (?:with (?:the|a|this|my|him|her)|in the|at the|for|here|to (?:fix|deal))\b",
        ..RULE
    },
    Rule {
        name: "asks to be left alone",
        find: r"\b(?:leave|let) (?:me|us)(?: <curse>)*(?: (?:hell|fuck|heck))? alone\b|\bjust want (?:to be )?left alone\b|(?:^|\b(?:please|just|and|or|so|stop|now|,)) (?:go away|get lost|fuck off|piss off|buzz off|screw off|bugger off|get a life|back off)(?: (?:please|now|and|you|stop|already|with|creep|spammer|scammer|thanks|scam|spam|i|im|dont))* $|^ (?:please |just )?(?:go away|fuck off|get lost|piss off|buzz off|back off|screw you|shut up|fuck you)\b",
        before: r"(?:dont|didnt|never|not|cant|wont|doesnt|didn|make it|make this|to|will|would|should|make the smell|it|smell|noise|dont want to)(?: (?:make it|just|it))? ",
        sentence: r"\b(?:with (?:the|a|this|my) (?:leak|mess|hole|toilet|kids|dogs?))\b|go away (?:for|this|on|until|next)",
        asked: false,
        ..RULE
    },
    Rule {
        name: "says it is the wrong number",
        find: r"\b(?:wrong (?:number|person|guy|lady|woman|man|dude|phone|contact|recipient|phone number|cell|party|individual|\#|no)|not the (?:right|correct) (?:number|person)|incorrect (?:number|person)|number is wrong|wrongnumber|mistaken number)\b",
        before: r"(?:(?:gave|give|put|typed|entered|wrote|dialed|listed|left|called|have been calling|calling|provided|had|sent|texted|told|is on|charged|using|used|hired|paid)(?: you| u| it| in| down| them| him| her| to| you guys)?(?: the| a| my)?|is this|did i (?:text|call|get|have|dial)|do i have|if this is|if its|if i have|asked|saw|sent it to|in case|billed|paid|emailed|talking to|talked to)(?: the| a)? ",
        after: r" (?:of|on the|on my|signed|paid|got|came|showed|answered|picked up|called|for the (?:job|part|model|filter|breaker)|in the|to ask|is on|for that job|for this job|cord|plate|and (?:it|my|the)|, (?:my|it|its|the correct|correct|right|should)|it should|its (?:really|actually)|part|color)\b",
        sentence: r"\b(?:my (?:right|correct|actual|real|new|number is)|the right one is|correct (?:one|number) is|should be|invoice|estimate|meter|serial|model|house number|unit|address|i (?:had|have) the wrong|sent this to|meant (?:to|for)|meant)\b",
        message: r"\bmeant for (?:my|someone|another)\b|\bi texted\b|\bmy (?:right|correct|actual|real|new) (?:number|one)\b|\bits really\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "says this is somebody else",
        find: r"\b(?:not my number anymore|(?:no one|nobody|there is no|theres no|no) (?:here |by |with |one )*(?:by that name|named \w+|called \w+|that name)(?: here| at this number| lives here)?|(?:number|phone) (?:no longer )?belongs? to (?:someone|somebody|a different|another|me now|\w+)|(?:has|have|had|got) (?:the|this|a new|this new) number now|not (?:his|her|their|\w+s) (?:number|phone)|(?:this|its) (?:is )?(?:no longer|not) \w+ (?:number|phone)|this (?:is|isnt|is not|thisisnt)(?: not)?(?: \w+)? (?:number|phone) anymore|(?:dont|doesnt) (?:have|own|use) this number anymore|thisisnt \w+s (?:number|phone)|i dont own a (?:house|home)|youre texting a (?:stranger|minor|child)|(?:i )?dont (?:even )?own (?:a|any) (?:home|house|property)|changed numbers|number was reassigned|have (?:me )?confused with|mistaken me for|have me mixed up)\b",
        before: r"(?:if|is) ",
        asked: false,
        ..RULE
    },
    Rule {
        name: "unsubscribes",
        find: r"\b(?:unsubscrib\w*|unsub|unenroll|deregister|opt ?out)\b",
        before: r"(?:dont|didnt|never|not|did i|have i|(?:^|[^w] )do i|should i|wont|to not|wasnt|isnt|cant we|accidentally|if i|if we|can we|could we|we|be able to|allowed to|option to|able to|will)(?: (?:mean|want|wish|trying|need|intend|have))*(?: to)?(?: \w+)? ",
        after: r" (?:of|from|on) (?:the |my |your |this |that |our |his |her |a |an |any )?(?:\w+ )?(?:warranty|insurance|plan|program|service|maintenance|upgrade|membership|smart meter|meter|coverage|financing|paper|paperless|hoa|extended|protection|survey|credit|magazine|policy|gym|youtube|netflix|inspection|option|deal)\b",
        sentence: r"\b(?:accident|mistake|accidentally|by accident|mistakenly|resubscribe|optout (?:form|fee|clause))\b",
        message: r"\b(?:by accident|by mistake|accidentally)\b",
        ..RULE
    },
    Rule {
        name: "cancels the messages",
        find: r"\b(?:cancel|canceling|cancelling|end|terminate|discontinue|delete)(?: (?:my|the|this|these|your|all|any|me|our|text|sms|messaging|texting|automated|message|marketing|promo|mobile|from|out of|enrollment in|phone))* (?:texts|subscription|messages|sms|alerts|notifications|messaging|texting|enrollment|communication|communications|conversation|text program|text service|text plan|opt in|signup|sign up|your texts)\b",
        before: r"(?:dont|didnt|never|not|should i|can i|they|to not)(?: \w+)? ",
        after: r" (?:and book|on the|for (?:the|my) (?:filter|hvac|furnace|maintenance|water|service))\b",
        sentence: r"\b(?:detectors?|alarm|thermostat|filter|maintenance)\b",
        ..RULE
    },
    Rule {
        name: "has said stop",
        find: r"\b(?:i|ive|i have|we|have|already|clearly|literally|just)(?: already| just| have| clearly| literally| even)* (?:said|told|asked|texted|replied|typed|sent|wrote|responded|messaged|requested|put|answered|telling|asking|saying|replying|texting|sending|say|text|type|reply|tell|ask)(?: you| yall| you guys| you people| this| your \w+| with| back| the word| to| for you to| that you|multiple times| twice| \w+ times| please| many times| before| already)* (?:stop|quit|unsubscribe)(?: already| multiple times| twice| \w+ times| texting| please| before| yesterday| last week)*(?: $| ,| and why| so| why| but| yet| and you)",
        before: r"(?:if|should) ",
        message: r"\b(?:by accident|by mistake|accidentally|sorry)\b",
        ..RULE
    },
    Rule {
        name: "has said stop",
        find: r"\b(?:what part of (?:stop|no)|stop means|does stop mean|understand (?:stop|the word stop)|learn to stop|said stop|stop (?:i|im|ive|who is this|whos this|wrong|not interested|lose|unsubscribe|remove|leave|enough|i dont|nobody|you have the wrong|or i|or ill|or im|no)\b)",
        before: r"(?:dont|never|wont|cant|not|bus|he|she|they|must|truck|the|i|we|a|and|to|it|neighbor) ",
        message: r"\b(?:<job>)\b",
        ..RULE
    },
    Rule {
        name: "calls it spam",
        find: r"\b(?:this|that|these|thats|its|youre|you are|ur|your (?:texts?|messages?)|pure|just|such|nothing but|is|are)(?: (?:is|are|a|just|pure|all|literally|total|getting|feels like|considered|now|becoming))* (?:spam|harassment|harassing (?:me|us)|spamming (?:me|us)?|unwanted|unsolicited|junk mail|a nuisance|spammers?|scammers?|a scam|telemarketing|stalking)\b",
        before: r"(?:went to|in|if|not|wasnt|isnt|sure) |(?:think|thought) ",
        after: r" (?:folder|filter|box|call|calls|likely|i (?:got|get))\b",
        sentence: r"\b(?:went to|folder|filter|caller|marked|thought|said|says|showed|shows|flagged|make sure|not|hope|is (?:this|it|that) (?:a |really |just )?(?:scam|spam)|caught)\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "complains of the messages",
        find: r"\b(?:texts?|messages?|texting|messaging|communications?|you|youre|contact)(?: (?:is|are|have|has|its|been|got|gotten|get))*(?: (?:so|very|really|getting|just|too|extremely|become|becoming|super|all|not|no longer|highly))* (?:annoying|unwanted|unwelcome|unsolicited|bothersome|harassment|ridiculous|out of (?:control|hand)|excessive|welcome anymore|wanted|intrusive|obnoxious|invasive)\b",
        before: r"(?:what|if|since|when|like|as|that|anything|whatever|everything|all) ",
        after: r" (?:to|it|the|a|me|by|us|in|for|an|some|for the)\b",
        asked: false,
        ..RULE
    },
    Rule {
        name: "asks to stop",
        find: r"\b(?:please|just|thanks|now|ok|okay|must|wish you would|want you to|want (?:this|it|these|them|that|all this) to|make (?:it|this|these|them)|wish this would|interested|interested in this|good|no|asking you to|begging you to|you to|(?:you|yall|you guys|you people) (?:all |really |guys |seriously )?(?:need to|have to|gotta|got to|must|should|better|can|may|could)|would you|could you|can you|will you|you|set|here|anymore|already) (?:stop|quit it|cut it out|knock it off)(?: now| please| already| immediately| asap| thanks| with (?:this|these|it|that)| doing (?:this|that)| right now| bro| sir| maam| this| it| that)* $",
        before: r"(?:dont|why did|when|if|did|where|before|like to|bus|hopefully|should we|ive|doesnt|wont) ",
        message: r"\b(?:<job>|when|if|where|by|tell (?:him|her|them)|it doesnt|it wont|lunch|store|gas station|see)\b",
        ..RULE
    },
];
