//! Refusals of texts that customers do not want, never asked for, or withdraw consent to.

use crate::domain::messaging::opt_out::grammar::{OptOutRule, RULE};

pub(super) const RULES: &[OptOutRule] = &[
    OptOutRule {
        name: "asks not to be texted",
        find: r"\b(?:dont|never|do never|dont ever|dont you ever|dont you dare|nobody|no one|not to|must not|shall not|may not|are not to|shouldnt|should not|need not|wouldnt|would not|not)(?: (?:you|yall|ever|even|again|dare|please|bother|try|to|continue|keep|be|call or|call and|call , |email or|phone or|attempt|under any circumstances))* <reach>(?: (?:or|and|nor|,)(?: \w+)? (?:text|message|call|email|contact|phone|send|mail|bother))*(?: (?:to|with|at))*(?: <me>\b| <again>\b| $| ,| please\b| thanks\b| and\b| im\b| i\b| ive\b)",
        before: r"(?:i|we|he|she|they|it|you|who|why|if|that|which|also|so|did|does|do|usually|normally|really|husband|wife|people|tenant|phone|or|am|im|is|are|was|were|whether|has|have|might|its ok to|may|rather|prefer|could|would|will|should|i just|because|since) (?:just |also |really )?|(?:asked|told|tell) (?:him|her|them|my \w+) ",
        after: r"<limit>| ,? ?(?:just |only |please )*(?:texts?|texting) (?:me|us|is|are|works?|instead|only)\b",
        sentence: r"\b(?:hesitate|dont (?:talk|speak|write|notify|advertise|market)|talk to|let me know)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks not to be texted again",
        find: r"\b(?:dont|never|not|no)(?: \w+){0,3} (?:text|message|contact|email|bother|call|reach out|follow up|check in|check back|circle back|touch base|ping|harass|bug|texting|contacting|messaging|calling|following up|checking in)(?: \w+){0,4} <again>\b",
        before: r"(?:i|we|he|she|they|it|you|who|why|if|did|does|husband|wife|can) (?:just |also |really )?",
        sentence: r"\b(?:hesitate|forget|until|till|back|if it (?:leaks|happens|breaks))\b",
        message: r"\bcall\w*\b.*<textme>",
        ..RULE
    },
    OptOutRule {
        name: "asks not to be texted again",
        find: r"\b(?:dont|never|not)(?: \w+){0,2} (?:call|email|contact|bother)(?: me| us)? (?:or|and|nor) (?:text|message)(?: me| us| this number)?(?: <again>| please| $| ,)",
        before: r"(?:i|we|he|she|they|it|you|who|why|if|did|does|husband|wife|can) (?:just |also |really )?",
        after: r"<limit>",
        ..RULE
    },
    OptOutRule {
        name: "would rather not be texted",
        find: r"\b(?:mind|appreciate|prefer|kindly|try|rather)(?: you| your| yall| it)? not <reaching>\b|\b(?:rather|prefer|prefer that|would|could|can|will|appreciate it|appreciate if|like|glad if|great if|if|please)(?: that| it if| if)? you (?:not|dont|didnt|wouldnt|wont|would not|never|would stop|stopped|quit|would quit)(?: \w+)? (?:text|texted|message|messaged|contact|contacted|bother|bothered|texting|messaging|contacting|bothering|sending|send)\b(?: me| us| this| my| anymore| again| $| ,)?",
        after: r"<limit>",
        ..RULE
    },
    OptOutRule {
        name: "has asked us not to",
        find: r"\b(?:asked|told|ask|tell|telling|asking|warned|want|wanted|need|like|prefer|request|requested|demand|requesting|demanding|said)(?: you| yall| you guys| you people| your \w+| that you| u)? (?:not to|to not|not)(?: be| get| ever| be getting)? (?:text|message|contact|email|bother|call|harass|spam|<reached>|called|receive|get)(?: me| us| this number| my phone| anymore| again| $| ,| by| any| texts| messages| these)",
        before: r"(?:he|she|they|dont|didnt) ",
        after: r"<limit>| (?:estimate|quote|bill)",
        message: r"\bcall(?:ed)?\b.*<textme>",
        ..RULE
    },
    OptOutRule {
        name: "asks not to be called",
        find: r"\b(?:dont|never|dont ever|do never|dont you ever|not to|nobody|no one)(?: (?:ever|even|you|again|please|bother|dare))* (?:call|calling|phone|ring|dial)(?: <me>| <again>| $)",
        before: r"(?:i|we|he|she|they|it|you|who|why|if|did|does|also|usually|normally|husband|wife|people|or|because|since) (?:just |also |really )?",
        after: r"<limit>| ,? ?(?:ill|i will|we will|well) (?:call|reach|let)|.* (?:ill call|ill reach|will call you|let you know)",
        sentence: r"\b(?:hesitate|until|till|before|after|asleep|sleeping|at work|in a meeting|baby|ill call|nap)\b",
        message: r"<textme>",
        asked: false,
    },
    OptOutRule {
        name: "asks not to be sent anything",
        find: r"\b(?:dont|never|stop|quit|not to)(?: (?:you|ever|please|bother|to|even|be|keep|want you to))* (?:send|sending|sent|mail)(?: me| us| this number| out| to me| my \w+)?(?: (?:any|these|those|this|your|more|anymore|the|all|such|of|further|future|other|random|stupid|fucking|so many|automated|auto|promotional|promo|marketing|sales|unsolicited|unwanted|annoying|spam|junk|kind))* (?:<things>|<notices>|text|message|stuff|things|anything|crap|shit|anymore|offers|these|this|those|nothing|more $|again)\b",
        before: r"(?:i|we|he|she|they|it|you|who|why|if|that|did|does|can|could) (?:just |also |really )?|<denied> ",
        after: r" (?:until|till|before|after|when|yet|if|to (?:my (?:old|work|other|wife|husband)|the|him|her|them|anyone)|through|by|invoices?|invoice|estimates?|bills?|without|about)\b",
        sentence: r"\b(?:send (?:any|more|anymore|other|those|these|the|your|all) (?:guys|techs|workers|people|men|crew)|emails? (?:to|at))\b",
        ..RULE
    },
    OptOutRule {
        name: "asks not to be sent anything",
        find: r"\b(?:dont|never|stop) send(?:ing)? (?:me|us)(?: shit)?(?: ever| again| anymore)* $",
        before: r"(?:i|we|he|she|they|it|you) ",
        ..RULE
    },
    OptOutRule {
        name: "does not want the messages",
        find: r"\b(?:dont|didnt|never|no longer|not|doesnt|wouldnt|no)(?: (?:ever|really|even|longer|wish|anymore|at all))* (?:want|want to|wanted|need|wish|wish to|care|desire|like|appreciate|ask(?:ed)?|asking|request(?:ed|ing)?|interested in|require|accept|looking|agree(?:d)?|authorize|sign(?:ed)? up|subscribe(?:d)?|optin|opt(?:ed)? in|enroll(?:ed)?|register(?:ed)?|approve|interest in|welcome)(?: (?:to|be|get|getting|receive|receiving|for|any|more|your|these|those|this|my|the|anything|else|kind|of|sent|send|you|out|have|keep|continue|continuing|such|from|anymore|all|so many|stupid|annoying|unsolicited|automated|marketing|promotional|phone|random|further|future|daily|be getting|be receiving|reading|hearing|up|in|business|about))*(?: in)? (?:texts|messages|sms|texting|text messages?|text alerts|text updates|text blasts|text|spam|communications?|solicitations?|promotions|promos|ads|marketing|<reached>|notifications|alerts|subscription|newsletters|hear from you|hearing from you|calls or|emails or|offers)\b",
        before: r"(?:he|she|they|if you|did you|why|it|who) (?:just |really )?|that you ",
        after: r" (?:you|yall|u) (?:but|and|so|all|again|if|about)\b| (?:reminder|until|before|after|today|to go|with (?:the|a)|about|yet|when|from (?:my|the)|back|confirmation|the (?:address|code|photos?))\b",
        sentence: r"\b(?:want|need|like) to text\b|\bcare (?:if|to)\b|\bdont (?:want|need) (?:to )?(?:be )?text (?:you|him|her)|\bdidnt (?:get|receive)|missed?\b|\bwant you to (?:miss|think)|\bneed(?: any| the| your)? (?:marketing|ads) (?:work|help)",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "does not want to hear from us",
        find: r"\b(?:dont|never|no longer|not|wont|rather not|nothing|no)(?: \w+){0,5} (?:hear|hearing|heard) (?:from|another word from)(?: you| your| yall| this| u| ya)",
        before: r"(?:surprised|sad|sorry|if) ",
        after: r" (?:yet|back|until|by|today|yesterday|about|regarding|in|since|on)\b",
        sentence: r"\b(?:have|has|had|havent|hadnt|still|yet|i never heard|we never heard|never heard back|did not hear|didnt hear)\b|^ never heard from|\bif i dont\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "never signed up",
        find: r"\b(?:never|didnt|dont remember|dont recall|havent|who|wasnt|not)(?: \w+){0,2} (?:signed up|sign up|signing up|subscribed?|subscribing|opted in|opt in|optin|enrolled|enroll|gave you my (?:number|cell|info)|give you my (?:number|cell|info)|gave you permission|give you permission|gave permission|give permission|gave consent|give consent|consent(?:ed)?|authorized? you)(?: (?:for|to|with))?(?: (?:get|receive|be getting|getting|receiving))?(?: (?:any|your|these|this|it|of|the|that|all|you))*(?: (?:<things>|texts?|<reached>|text me|contact me|message me|call me|contact|send))?(?: anything| at all| with you| for)?(?: $| ,| and| so| please| or| to (?:text|contact|message|call|send|be)| from)",
        before: r"(?:if you|you|he|she|they) ",
        sentence: r"\b(?:if i (?:never|havent)|yet|plan|warranty|membership|maintenance|insurance|financing|mistake|dont have|not have|online|account|portal|enter|park|dig|start|work)\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "takes the consent back",
        find: r"\b(?:revoke|revoking|revoked|withdraw|withdrawing|withdrawn|rescind|rescinding|retract|take back|taking back|remove|cancel|pull|terminate|dont have|do not have|without|never gave|not given|didnt give|dont give|dont|no|never|not have)(?: (?:all|any|my|our|your|you|prior|previous|express|written|the|of|have|giving|give|further|a|by|me|us|hereby|the right|proper))*(?: \w+)? (?:consent|permission|authorization|permissions|authorisation)\b",
        before: r"(?:do i|if you|if i|ask) ",
        after: r" (?:to (?:enter|park|dig|start|use the|cut|go|come|work|do|begin|open|be on|access|replace|remove|install|build|put|proceed|charge|pull)|to (?:the |any |these |those |this |that |an? )?(?:extra|additional|charges?|price|work|fees?|repairs?|costs?|upgrades?|overtime)|from (?:the|my|our|hoa|city)|slip|form|for the|yet|on file|before)\b",
        sentence: r"\b(?:<job>|hoa|fence|landlord|city|permit|yard|property|gate|inside|roof|order|purchase|card|payment)\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "takes the consent back",
        find: r"\b(?:consent|permission|authorization)(?: to \w+(?: me| us)?)?(?: is| has been| was| hereby| now)* (?:revoked|withdrawn|denied|rescinded|removed|not given|terminated)\b",
        message: r"\b(?:<job>|permit|hoa|city|landlord|fence)\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:remove|removing|delete|erase|drop|purge|scrub|wipe|strike|scratch|unlist|exclude|unenroll|disenroll|expunge|clear|get rid of|take out|rid)(?: out)? (?:<mine>)(?: off| from| out|( please| now| immediately| asap| right now| thanks| today| already| permanently| completely| forever| and| ,| $| anymore| or| i | im )|(?: as a (?:contact|subscriber|lead)))",
        before: r"<denied> |(?:dont|never|not|did you|didnt|dont you|i|we|you|they|couldnt|cant|helped|help|will|drop|to) (?:drop|clear|strike|scratch|wipe|get rid of)?|dont (?:want|need) (?:you )?to ",
        after: r" (?:from )?(?:\w+ ){0,4}<booked>\b| (?:off|from) (?:at|here|the (?:roof|ladder|shop|airport|corner))\b|(?: \w+){0,3} (?:use|put|add|replace|update|change|new number|instead|with)\b",
        sentence: r"\b(?:drop (?:me|us) (?:a|off|an|the)|get rid of (?:him|her|it)|remove him|remove her|clear me|scratch him|the number (?:plate|plaque|sign)|house number|clear number|from the (?:house|mailbox|door))\b",
        message: r"\bnew (?:number|cell|phone|one) is\b|\bchanged (?:my )?number\b|\b(?:old|previous|other|former) (?:number|phone|cell|name)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:remove|removing|delete|erase|purge|scrub|unlist|exclude|unenroll)(?: please)? <mine>(?: please)?(?: off| from| out| $| ,| please| now| immediately| asap| and| or)",
        before: r"(?:dont|never|not|did you|didnt|<other>)(?: \w+){0,2} ",
        after: r" (?:from )?(?:\w+ ){0,4}<booked>\b|(?: \w+){0,3} (?:use|put|add|replace|update|change|new number|instead)\b| (?:from|off) (?:the )?(?:house|mailbox|door|roof|wall|sign|truck|estimate|text thread with)\b",
        message: r"\bnew (?:number|cell|phone|one) is\b|\bchanged (?:my )?number\b|\b(?:old|previous|other|former) (?:number|phone|cell|name)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:please|just|kindly|and|so) (?:remove|delete|take off|unlist)(?: (?:thanks|now|asap|immediately|please|from list|from your list|permanently|me))* $",
        before: r"<denied> ",
        message: r"\b(?:<job>|old|debris|trash|unit|carpet)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:remove|take|delete|get|drop|unsubscribe|erase) (?:my|our) (?:\w+ )?(?:mom|mum|mother|dad|father|husband|wife|son|daughter|parents?|brother|sister|grand\w+|kids?|family|aunt|uncle|boss|employee|company|business|office|house|address)s?(?: \w+)? (?:off|from|out)(?: of)?(?: <ofours>)* <lists>\b",
        before: r"<denied> ",
        after: r" <booked>\b",
        ..RULE
    },
    OptOutRule {
        name: "says the number is not for texts",
        find: r"\b(?:(?:dont|never|not to|stop|quit) (?:use|using|keep using) (?:this|my|our) (?:number|phone|cell|line)(?: anymore| again| for (?:texts|texting|marketing|this)| to (?:text|contact|message|call|reach)| $)|(?:not|never) to be (?:\w+ )?<reached>\b|(?:this is|its) (?:a|my) (?:\w+ )?(?:number|phone|line) and (?:should not|shouldnt|is not|isnt))",
        before: r"(?:i|we|he|she|they) ",
        after: r"(?: \w+)? (?:until|before|after|tomorrow|when)\b| , (?:use|call|text|its)",
        ..RULE
    },
    OptOutRule {
        name: "wants the messages to end",
        find: r"\b(?:<things>|emails|calls|contact|communication|harassment|this)(?: \w+)? (?:to|need to|needs to|have to|has to|must|should|better|got to|gotta|had better) (?:stop|cease|end|quit)\b",
        before: r"(?:no|dont want(?: the| these)?) ",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "does not want the messages",
        find: r"\b(?:dont|no longer|didnt|not|never)(?: \w+)? (?:want|need|like|wish|care|asking)(?: to)? (?:get|getting|receive|receiving|keep getting|keep receiving|see|be getting|be receiving|hear)(?: any| any of| more of| all)? (?:these|this|them|those|that|it|anything)(?: from you| anymore| ever| again| on my phone| please| at all| stuff| crap| shit)*(?: $| ,)",
        ..RULE
    },
    OptOutRule {
        name: "does not want the messages",
        find: r"^ (?:please |sorry |hi |hello |hey |im sorry |thanks |, )*(?:i |we |ive |weve )?(?:(?:no longer|dont|do not|never|didnt)(?: even| really)? (?:want|wanted|need|like) (?:these|them|those|any of (?:these|this|it))|(?:never|didnt|havent|dont)(?: even| ever)? (?:ask|asked|request|requested|wanted|sign up|signed up) for (?:this|these|that|it|any of (?:this|these|it)|your (?:help|services?|texts?)))(?: anymore| ever| please| thanks| so| shit| crap| stuff)* $",
        message: r"\b<job>\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "has said no",
        find: r"\b(?:i|we|ive|weve)(?: have| already| just| clearly)* (?:said|told you(?: guys| people)?) no(?: already| thanks| before| stop| please| twice| many times| more| thank you| to this| to you)* $",
        message: r"\b<job>\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "has said stop",
        find: r"\b(?:i|ive|i have|already) (?:already |just |clearly )*(?:said|told you|told yall|asked you|asked for) (?:no more|enough|to leave me|to be left|to be removed|to be taken off|to lose|not interested)\b",
        message: r"\b<job>\b",
        ..RULE
    },
];
