//! Wishes not to be among the recipients: off the list, left alone, the wrong person, blocked.

use crate::domain::messaging::opt_out::grammar::{OptOutRule, RULE};

pub(super) const RULES: &[OptOutRule] = &[
    OptOutRule {
        name: "asks to be taken off the list",
        find: r"\b(?:take|get|pull|cross|scratch|knock|put|keep|leave|have|remove|removing|delete|drop|strike|taking|getting|cut|count)(?: <mine>)?(?: taken| removed| deleted| please| the (?:hell|fuck|f|heck))*(?: off| of| out of| from| out)+(?: <ofours>)* <lists>\b",
        before: r"<denied> |(?:dont|never|didnt|i|we|will|ill|lets|did you) (?:take|cross|scratch|knock|get|put|drop|cut|keep|have)?",
        after: r" (?:of (?:things|parts|materials|items)|for (?:the|my|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|that|a|this|next)|on the (?:roof|house)|to (?:the|me|you)|i sent|we sent|file|panel|box|breaker|pressure)\b",
        sentence: r"\b(?:wait ?list|waiting list|punch list|parts list|price list|materials? list|shopping list|to ?do list|honey do|cancellation list|emergency list|guest list|standby list|water system|septic system|sprinkler system|hvac system|the system (?:is|was|out)|old system|get (?:the|a|an|your) (?:\w+ )?(?:off|from|out)|(?:get|have|keep|pull|cut|put) (?:off|out|of|from)|(?:cross|take|scratch|knock) (?:that|it|the|off the)|cross off|heard|leave (?:off|of|from|out)|count (?:off|of))\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off the list",
        find: r"\b(?:off|removed from|deleted from|taken off|dropped from|out of|unsubscribed from|removal from|removed off|erased from|out from)(?: <ofours>)*? (?:your|ur|this|these|any|all|every|texting|text|contact|mailing|marketing|calling|call|spam|sms|messaging)(?: <ofours>)* (?:lists?|database|texts|messages|campaigns?|distribution|sms|communications?|notifications|blasts?|text chain|thread|records)\b",
        before: r"(?:cross|take|scratch|knock|check|took|mark|fell|takes|ran|run|anything|items?|that|it|them|cut) (?:that |it |them |those |this |the \w+ )?|(?:dont|never|didnt|not|wasnt|isnt) (?:\w+ ){0,3}(?:take me |put me |drop me |want to be |remove me |be )?",
        after: r" (?:for (?:the|my|tuesday|tomorrow|today)|of (?:parts|things))\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"^ (?:\w+ ){0,3}?(?:take|get|count|opt|leave|cut|want|me) (?:<mine> )?(?:off|out)(?: of (?:this|these|it|here|your shit)| of your \w+)?(?: please| now| this| thanks| already| asap| the thing| your thing| this thing)* $",
        before: r"<denied> ",
        message: r"\b(?:<job>|dog|bus|airport|speaker|locked)\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "wants to be removed",
        find: r"\b(?:want|like|need|wish|prefer|requesting|request|ask|asking|demand)(?: to)?(?: be| get| have)?(?: <mine>)? (?:off|removed|taken off|deleted|unsubscribed|removal|out)(?: (?:of|from|your|the|this|these|all|any|please|now|immediately|permanently|asap|system|list|thanks|it|here))* $",
        before: r"(?:dont|didnt|not|never)(?: \w+)? ",
        message: r"\b(?:<job>|stain|debris|trash|carpet|old|unit)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks us to forget the number",
        find: r"\b(?:lose|loose|forget|burn|trash|throw (?:away|out)|erase|block|toss|shred|ditch|discard|delete|remove|unsave|scratch|destroy|dump|forget you have|forget you ever had|get rid of)(?: (?:my|this|our|the|these|out|damn|fucking|phone|cell))+ (?:number|digits|contact|contact info|info|numbers|information|phone|contact information)\b",
        before: r"(?:dont|never|did you|didnt|not|you|they|to|ever|might|accidentally|if i|if you|guess you|must have|will|would|did i|i always|must) (?:want to )?",
        after: r" (?:on the|of the|tag|plate|was|is (?:on|in)|and (?:replace|use|put|update|add|change)|i gave you|from (?:the|my) (?:house|invoice|account|door|mailbox|sign|truck))\b",
        message: r"\bnew (?:number|cell|phone|one) is\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "blocks or reports us",
        find: r"\b(?:blocking|reporting|block|report|blocked|reported|sue|suing)(?: (?:you|u|yall|your (?:number|ass|texts|company|messages|business)|this (?:number|as spam|spam|to the (?:fcc|ftc|attorney|bbb|police|carrier|authorities))|you guys|as (?:spam|junk)|for (?:spam|harassment)|it as (?:spam|junk)|these|this to (?:the )?(?:fcc|ftc|bbb|police|my carrier))\b)",
        before: r"(?:dont|not|wont|never|didnt|are you|accidentally|my phone|phone|if|did i|did it|must have|wouldnt|sorry i|sorry|they|he|she|it|been|keeps|was|were|car is|truck is|truck) (?:mean to |want to |going to )?",
        after: r" (?:in|by (?:mistake|accident)|accidentally|from (?:the|parking|leaving)|truck|trucks|driveway|sorry|view)\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "speaks of the authorities",
        find: r"\b(?:fcc|ftc|tcpa|dnc|dont (?:call|contact|text|disturb)(?: (?:or|and) \w+)? (?:list|registry|register)|attorney general)\b",
        before: r"(?:he|she|they) ",
        ..RULE
    },
    OptOutRule {
        name: "threatens with the law",
        find: r"\b(?:lawyer|attorney|police|cops|legal action|sue|suing|court|harassment|lawsuit)\b.*\b(?:texts?|texting|messages?|messaging|contact(?:ing)? me|this number)\b|\b(?:texts?|texting|texted|messages?|messaging|contact(?:ing)? me)\b.*\b(?:lawyer|attorney|police|cops|legal action|sue|suing|court|lawsuit)\b",
        sentence: r"\b(?:<job>|insurance|neighbou?r\w*|landlord|tenants?|other company|old company|(?:text|message|contact|send|cc|copy|forward) (?:it to |this to |that to )?(?:my|the|our|his|her)|claim|(?:lawyer|attorney|police|cops) (?:will |just |has |have )?(?:text|message|contact|sent|said|asked|wants|needs))\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "asks where we got the number",
        find: r"\b(?:dont know|no idea|not sure|dont understand) (?:how|where|who)(?: \w+){0,3} (?:got|get|getting|gave|found|have) (?:you )?(?:my|this) (?:number|info|information|phone|cell|contact)\b|\b(?:who|whoever) gave (?:you|u|yall) (?:my|this) (?:number|info|phone)\b.*\b(?:<things>|text|remove|delete|off)\b",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be left alone",
        find: r"\b(?:leave|let|leaving|leav|leve) (?:me|us|my family|this number|my phone|my (?:wife|husband|mom))(?: <curse>)*(?: (?:hell|fuck|heck))? (?:alone|be $|in peace|tf alone)",
        before: r"(?:dont|didnt|never|not|cant|i|you|they|he|to|wont|couldnt)(?: have to)? ",
        after: r" (?:with (?:the|a|this|my|him|her)|in the|at the|for|here|to (?:fix|deal))\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be left alone",
        find: r"\b(?:leave|let) (?:me|us)(?: <curse>)*(?: (?:hell|fuck|heck))? alone\b|\bjust want (?:to be )?left alone\b|(?:^|\b(?:please|just|and|or|so|stop|now|,)) (?:go away|get lost|fuck off|piss off|buzz off|bug off|eff off|stfu|gtfo|screw off|bugger off|get a life|back off)(?: (?:please|now|and|you|stop|already|with|creep|spammer|scammer|thanks|scam|spam|i|im|dont))* $|^ (?:please |just )?(?:go away|fuck off|f off|get lost|piss off|buzz off|bug off|eff off|stfu|gtfo|back off|screw you|shut up|fuck you)\b",
        after: r" (?:party|trip|bag|gift|for|this|next|on|until|the|to)\b",
        before: r"(?:dont|didnt|never|not|cant|wont|doesnt|didn|make it|make this|to|will|would|should|make the smell|it|smell|noise|dont want to)(?: (?:make it|just|it))? ",
        sentence: r"\b(?:with (?:the|a|this|my) (?:leak|mess|hole|toilet|kids|dogs?))\b|go away (?:for|this|on|until|next)",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "says it is the wrong number",
        find: r"\b(?:wrong (?:number|person|guy|lady|woman|man|dude|phone|contact|recipient|phone number|cell|party|individual|\#|no)|not the (?:right|correct) (?:number|person)|incorrect (?:number|person)|number is wrong|wrongnumber|mistaken number)\b",
        before: r"(?:(?:gave|give|put|typed|entered|wrote|dialed|listed|left|called|have been calling|calling|provided|had|sent|texted|told|is on|charged|using|used|hired|paid)(?: you| me| us| u| it| in| down| them| him| her| to| you guys)?(?: the| a| my)?|is this|did i (?:text|call|get|have|dial)|do i have|if this is|if its|if i have|asked|saw|sent it to|in case|billed|paid|emailed|talking to|talked to)(?: the| a)? ",
        after: r" (?:of|on the|on my|signed|paid|got|came|showed|answered|picked up|called|for the (?:job|part|model|filter|breaker)|in the|to ask|is on|for that job|for this job|cord|plate|and (?:it|my|the)|, (?:my|it|its|the correct|correct|right|should)|it should|its (?:really|actually)|part|color)\b",
        sentence: r"\b(?:my (?:right|correct|actual|real|new|number is)|the right one is|correct (?:one|number) is|should be|invoice|estimate|meter|serial|model|house number|unit|address|i (?:had|have) the wrong|sent this to|meant (?:to|for)|meant|(?:that|this|it) was for)\b",
        message: r"\bmeant for (?:my|someone|another)\b|\bi texted\b|\bmy (?:right|correct|actual|real|new) (?:number|one)\b|\bits really\b",
        asked: false,
    },
    OptOutRule {
        name: "says this is somebody else",
        find: r"\b(?:not my number anymore|(?:no one|nobody|there is no|theres no|no) (?:here |by |with |one )*(?:by that name|named \w+|called \w+|that name)(?: here| at this number| lives here)?|(?:number|phone) (?:no longer )?belongs? to (?:someone|somebody|a different|another|me now|\w+)|(?:has|have|had|got) (?:the|this|a new|this new) number now|not (?:his|her|their|\w+s) (?:number|phone)|(?:this|its) (?:is )?(?:no longer|not) \w+ (?:number|phone)|this (?:is|isnt|is not|thisisnt)(?: not)?(?: \w+)? (?:number|phone) anymore|(?:dont|doesnt) (?:have|own|use) this number anymore|thisisnt \w+s (?:number|phone)|i dont own a (?:house|home)|youre texting a (?:stranger|minor|child)|(?:i )?dont (?:even )?own (?:a|any) (?:home|house|property)|changed numbers|number was reassigned|have (?:me )?confused with|mistaken me for|have me mixed up)\b",
        before: r"(?:if|is) ",
        asked: false,
        sentence: r"\b(?:called|texted|named) (?:me|us|back|yet|about|to|today|yesterday|this|in|out|for|when|from|or|and|him|her|them|the|my|again|anyone|anybody|it)\b",
        ..RULE
    },
    OptOutRule {
        name: "unsubscribes",
        find: r"\b(?:unsubscrib\w*|unsub|unenroll|deregister|opt ?out)\b",
        before: r"(?:my |our |the )?(?:hoa|neighbors?|husband|wife|landlord|tenants?|insurance|company|city)(?: \w+)? |(?:dont|didnt|never|not|did i|have i|(?:^|[^w] )do i|should i|wont|to not|wasnt|isnt|cant we|accidentally|if i|if we|can we|could we|we|be able to|allowed to|option to|able to|will)(?: (?:mean|want|wish|trying|need|intend|have))*(?: to)?(?: \w+)? ",
        after: r" (?:of|from|on|off)\b| (?:option|form|fee|clause|policy|panel|floor|base|contractor)\b",
        sentence: r"\b(?:accident|mistake|accidentally|by accident|mistakenly|resubscribe|optout (?:form|fee|clause))\b",
        message: r"\b(?:by accident|by mistake|accidentally)\b",
        ..RULE
    },
    OptOutRule {
        name: "unsubscribes",
        find: r"\b(?:unsubscrib\w*|unsub|unenroll|deregister|opt ?out)(?: me| us| this number| my number)? (?:of|from|on|off)(?: <det>| <ofours>| all future)*? (?:<things>|<notices>|<lists>|<reaching>|this|these|those|it|that|them|here|all|everything|you|yall|anything|service|services|company|text|message|getting|receiving|being|contact|number|phone|thing|stuff|crap|shit)\b",
        before: r"(?:my |our |the )?(?:hoa|neighbors?|husband|wife|landlord|tenants?|insurance|company|city)(?: \w+)? |(?:dont|didnt|never|not|did i|have i|(?:^|[^w] )do i|should i|wont|to not|wasnt|isnt|cant we|accidentally|if i|if we|can we|could we|we|be able to|allowed to|option to|able to|will)(?: (?:mean|want|wish|trying|need|intend|have))*(?: to)?(?: \w+)? ",
        after: r" (?:plan|contract|agreement|warranty|membership|program|insurance|inspection|visits?|deal|option|offer|policy|upgrade|maintenance|meter|magazine|coverage|credit|billing|bill|quote|estimate|paper|part|protection|financing|fee|hoa|extended|one|survey|gym|year|month)\b",
        sentence: r"\b(?:accident|mistake|accidentally|by accident|mistakenly|resubscribe|optout (?:form|fee|clause))\b",
        message: r"\b(?:by accident|by mistake|accidentally)\b",
        ..RULE
    },
    OptOutRule {
        name: "cancels the messages",
        find: r"\b(?:cancel|canceling|cancelling|end|terminate|discontinue|delete)(?: (?:my|the|this|these|your|all|any|me|our|text|sms|messaging|texting|automated|message|marketing|promo|mobile|from|out of|enrollment in|phone))* (?:texts|subscription|messages|sms|alerts|notifications|messaging|texting|enrollment|communication|communications|conversation|text program|text service|text plan|opt in|signup|sign up|your texts)\b",
        before: r"(?:dont|didnt|never|not|should i|can i|they|to not)(?: \w+)? ",
        after: r" (?:and book|on the|for (?:the|my) (?:filter|hvac|furnace|maintenance|water|service))\b",
        sentence: r"\b(?:detectors?|alarm|thermostat|filter|maintenance)\b",
        ..RULE
    },
    OptOutRule {
        name: "has said stop",
        find: r"\b(?:i|ive|i have|we|have|already|clearly|literally|just)(?: already| just| have| clearly| literally| even)* (?:said|told|asked|texted|replied|typed|sent|wrote|responded|messaged|requested|put|answered|telling|asking|saying|replying|texting|sending|say|text|type|reply|tell|ask)(?: you| yall| you guys| you people| this| your \w+| with| back| the word| to| for you to| that you|multiple times| twice| \w+ times| please| many times| before| already)* (?:stop|quit|unsubscribe)(?: already| multiple times| twice| \w+ times| texting| please| before| yesterday| last week)*(?: $| ,| and why| so| why| but| yet| and you)",
        before: r"(?:if|should) ",
        message: r"\b(?:by accident|by mistake|accidentally|sorry)\b",
        ..RULE
    },
    OptOutRule {
        name: "has said stop",
        find: r"\b(?:how many times|how often|how much longer|again)\b.{0,40} (?:say|tell|ask|text|type|reply|repeat|said|told|asked|telling|saying|asking)(?: \w+){0,4} (?:stop|quit|unsubscribe|leave me alone|remove me)\b",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "has said stop",
        find: r"\b(?:what part of (?:stop|no)|stop means|does stop mean|understand (?:stop|the word stop)|learn to stop|said stop|stop (?:i|im|ive|who is this|whos this|wrong|not interested|lose|unsubscribe|remove|leave|enough|i dont|nobody|you have the wrong|or i|or ill|or im|no)\b)",
        before: r"(?:dont|never|wont|cant|not|bus|he|she|they|must|truck|the|i|we|a|and|to|it|neighbor) ",
        message: r"\b(?:<job>)\b",
        ..RULE
    },
    OptOutRule {
        name: "calls it spam",
        find: r"\b(?:this|that|these|thats|its|youre|you are|ur|your (?:texts?|messages?)|pure|just|such|nothing but|is|are)(?: (?:is|are|a|just|pure|all|literally|total|getting|feels like|considered|now|becoming))* (?:spam|harassment|unwanted|unsolicited|junk mail|a nuisance|spammers?|scammers?|a scam|telemarketing|stalking)\b",
        before: r"(?:noise|neighbou?rs?|dogs?|music|alarm|construction|raccoons?|\w+ing) |(?:went to|in|if|not|wasnt|isnt|sure) |(?:think|thought) ",
        after: r" (?:folder|filter|box|call|calls|likely|i (?:got|get))\b",
        sentence: r"\b(?:went to|folder|filter|caller|marked|thought|said|says|showed|shows|flagged|make sure|not|hope|is (?:this|it|that) (?:a |really |just )?(?:scam|spam)|caught)\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "complains of the messages",
        find: r"\b(?:texts?|messages?|texting|messaging|communications?|you|youre|contact)(?: (?:is|are|have|has|its|been|got|gotten|get))*(?: (?:so|very|really|getting|just|too|extremely|become|becoming|super|all|not|no longer|highly))* (?:annoying|unwanted|unwelcome|unsolicited|bothersome|harassment|ridiculous|out of (?:control|hand)|excessive|welcome anymore|wanted|intrusive|obnoxious|invasive)\b",
        before: r"(?:what|if|since|when|like|as|that|anything|whatever|everything|all) ",
        after: r" (?:to|it|the|a|me|by|us|in|for|an|some|for the)\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "asks to stop this",
        find: r"^ (?:please |just |ok |, )*make (?:it|this|that|all this)(?: all)? stop\b|\b<end>(?: with)?(?: all| the| this| that| your| with)+ (?:nonsense|bullshit|crap|shit|madness|bs|garbage|foolishness|harassment)\b|\b<end> (?:me|us|this number) from (?:getting|receiving)\b",
        message: r"\b<job>\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop",
        find: r"\b(?:please|just|thanks|now|ok|okay|must|wish you would|want you to|want (?:this|it|these|them|that|all this) to|make (?:these|them)|wish this would|interested|interested in this|good|no|annoying|number|person|tired|sick|ridiculous|harassment|enough|bye|idiots?|rude|spam|scam|scammers?|texts|messages|customer|why|ugh|omg|god|hell|asking you to|begging you to|you to|(?:you|yall|you guys|you people) (?:all |really |guys |seriously )?(?:need to|have to|gotta|got to|must|should|better|can|may|could)|would you|could you|can you|will you|you|set|here|anymore|already) (?:stop|quit it|cut it out|knock it off)(?: now| please| already| immediately| asap| thanks| with (?:this|these|it|that)| doing (?:this|that)| right now| bro| sir| maam| this| it| that)* $",
        before: r"(?:why did (?:the|your|my)|dont|why did|when|if|did|where|before|like to|bus|hopefully|should we|ive|doesnt|wont) ",
        message: r"\b(?:<job>|when|if|where|by|tell (?:him|her|them)|it doesnt|it wont|lunch|store|gas station|see)\b",
        ..RULE
    },
];
