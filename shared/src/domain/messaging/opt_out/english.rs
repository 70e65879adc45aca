//! English: verbs of ending, verbs of contacting people, the things sent, and other uses of these words.

use super::grammar::OptOutRule;

mod insisting;
mod leaving;
mod refusing;
mod stopping;
mod wording;

/// Word classes by function in a sentence. A class may use those after it.
pub(super) const CLASSES: [(&str, &str); 20] = [
    // What we send, unambiguously.
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
    // Contacting, in the -ing form.
    (
        "<reaching>",
        r"(?:texting|messaging|contacting|bothering|bugging|harassing|spamming|pinging|soliciting|pestering|annoying|disturbing|stalking|hounding|badgering|nagging|hassling|blowing (?:me|us|my (?:phone|cell)|up)|hitting (?:me|us) up|hitting (?:up )?my|blowing up (?:my|this)|ringing my|reaching out|reaching me|communicating|following up|reminding me|trying to (?:reach|contact|text|sell|call|message)|asking me|asking for (?:a |my )?(?:reviews?|feedback)|advertising|soliciting|marketing to|selling|smsing|writing (?:to )?(?:me|us)|messing with me|being annoying|begging|checking in|texts me)",
    ),
    // Contacting, as an infinitive.
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
        r"(?: (?:me|us|here|this number|at|to|him|her))? (?:the|a|an|when|if|whenever|as|before|until|till|til|after|at|while|unless|during|on|tomorrow|tonight|today|this (?:morning|afternoon|evening|week|weekend)|back|yet|first|early|earlier|late|later|like|my (?:address|code|info|estimate|quote|invoice)|your (?:address|estimate|quote|invoice|bill|guys|price)|directions|pictures|photos|pics|between|past|for now|in the (?:morning|evening|afternoon)|just yet|about (?:the|my|scheduling|tomorrow|it)|regarding|by|every|so (?:late|early)|this (?:late|early)|that (?:late|early)|too|that|with (?:the|a|an)|through|, (?:im|i am) (?:driving|at|in|busy|asleep|sleeping|working|on)|(?:im|i am) (?:driving|busy|asleep|working))\b",
    ),
    // Subjects of a sentence about other people's messages.
    (
        "<other>",
        r"(?:he|she|they|it|who|that|which|(?:the|my|our|his|her|their|other|another|some|those|these|old|last) (?:\w+ )?(?:company|companies|tenants?|renters?|neighbou?rs?|husband|wife|son|daughter|kids?|mom|dad|mother|father|boss|people|guys?|alarm|phone|app|thermostat|system|city|hoa|landlord|insurance|robocallers|scammers|telemarketers|contractor|plumber|roofer|electrician))",
    ),
    // Negations and reports of the past.
    (
        "<denied>",
        r"(?:dont|never|no need to|no reason to|not asking (?:you )?to|(?:dont|didnt|wouldnt|doesnt) (?:need|have|want|mean|wish|ever|say|ask)(?: for)?(?: you| yall| me)?(?: to)?|didnt|did you|have you|has|had|did they|why did (?:you|they)|wouldnt|shouldnt|cant|wont|without|before you|when did you)(?: ever| please| just| even| you| accidentally| really)?",
    ),
    (
        "<lists>",
        r"(?:lists?|groups?|group (?:text|chat|message)|chat|text group|database|data base|systems?|records?|rotation|distribution|campaigns?|contacts|directory|texts?|messages?|thread|chain|blasts?|subscriptions?|roster|crm|mailings?|notifications|alerts|updates|promotions|ads|marketing|spam|files?|sms|communications?|mailing|texting|texting list)",
    ),
    (
        "<ofours>",
        r"(?:your|you|ur|the|this|that|these|those|any|all|every|each|of|my|our|phone|text|texts|texting|call|calling|contact|mailing|marketing|messaging|message|sms|spam|email|e mail|customer|client|customers|stupid|damn|fucking|mass|group|sales|automated|auto|promo|promotional|promotions|whatever|company|companys|future|further|send|broadcast|alert|notification|reminder|lead|leads|robo|dumb|annoying|subscriber|solicitation|and|from|off|or|such)",
    ),
    (
        "<mine>",
        r"(?:me|us|this number|this phone|this contact|this line|this cell|this person|(?:his|her|their|my \w+s|the|that|dads|moms) number|(?:all )?(?:of )?my (?:\w+ )?(?:number|numbers|name|phone|cell|info|information|contact|contact info|contact information|data|details|personal info|mobile)|our (?:number|name|info|phone|contact)|(?:number )?\d{3} \d{3} \d{4}|(?:number )?1?\d{10}|(?:the|that) number|number|this (?:phone|cell) number|myself|him|her)",
    ),
    // Lists and entries that are work.
    (
        "<booked>",
        r"(?:schedule|appointment|appt|slot|calendar|waitlist|wait list|waiting list|waiting|invoice|estimate|quote|account|job|plan|warranty|policy|contract|title|permit|bill|autopay|auto pay|cancellation|standby|emergency|tuesday|monday|wednesday|thursday|friday|saturday|sunday|speaker|hold|on call|quotes|membership|deed|lease|gate|property|claim)",
    ),
    (
        "<textme>",
        r"(?:(?:just|please|can you|you can|only|instead|but|and|better to|can|rather you|easier to|then) (?:text|message|sms)|(?:text|message|email)(?:ing)? (?:me|us|is|works|only|instead|would|first|please)|prefer (?:a )?(?:text|texts|texting|email|emails|message|messages)|by (?:text|email|message)|texts? (?:is|are) (?:better|best|fine|ok|okay|good|easier)|via text|over text|(?:text|message) (?:to )?(?:this|that|the other) (?:one|number|phone|cell|line))",
    ),
    ("<curse>", r"(?:(?:the|tf|da) ?(?:hell|fuck|heck|f)?)"),
    (
        "<job>",
        r"(?:water|leak\w*|drip\w*|pipes?|roof\w*|toilets?|faucets?|sinks?|drain\w*|heaters?|hvac|ac|furnace|breakers?|outlets?|panel|power|lights?|electric\w*|plumb\w*|job|work|working|trucks?|driveway|gate|house|door|yard|street|rain\w*|flood\w*|flow\w*|running|noise|alarm|beep\w*|sewer|sewage|gas|shingles?|gutters?|ceiling|attic|basement|kitchen|bathroom|shower|tub|hose|valve|shutoff|pump|meter|appointment|appt|reschedule|schedule\w*|tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|oclock|estimate|quote|invoice|bill|paint\w*|crew|digging|dig|hammering|drill\w*|install\w*|repair\w*|fix\w*|come|coming|visit|found|hired|another company|someone else|went with|corner|(?:on|to|turn|your|the|stay|go) (?:the )?(?:right|left)|road|sign|spraying|replac\w*|fence|burst|wire|wires|sparks?|sparking|smoke|tree|wall|floor|dog|kids)",
    ),
];

/// The first rule that matches is shown to the owner.
pub(super) fn english_rules() -> impl Iterator<Item = &'static OptOutRule> {
    stopping::RULES.iter().chain(refusing::RULES).chain(leaving::RULES).chain(wording::RULES).chain(insisting::RULES)
}
