//! Spanish: the commands in every person, with and without accents, and uses of the same words about a job.

use super::grammar::{OptOutRule, RULE};

/// Word classes by function in a sentence. A class may use those after it.
pub(super) const CLASSES: [(&str, &str); 8] = [
    (
        "<mensajes>",
        r"(?:mensajes?|mensajitos?|texts|texto|sms|text messages?|publicidad|promociones|propaganda|anuncios|spam|notificaciones|alertas|avisos|recordatorios|comunicaciones|correos?|emails?|llamadas|llamada|ofertas|messages?|basura|mms|whatsapps?)",
    ),
    // Negative commands.
    (
        "<mande>",
        r"(?:mand(?:e|en|es|eis)|envi(?:e|en|es)|escrib(?:a|an|as)|text(?:ee|een|ees|ie|ien|eee|e|en)|mensaj(?:ee|een|ees)|contact(?:e|en|es)|moleste[ns]?|fastidi(?:e|en|es)|hostig(?:ue|uen)|acos(?:e|en)|jod(?:a|an|as)|chingue[ns]?|busque[ns]?|comunique[ns]?|habl(?:e|en|es)|insist(?:a|an|as)|notifi(?:que|quen)|fregu(?:e|en|es)|pong(?:a|an)se en contacto)",
    ),
    (
        "<mandar>",
        r"(?:mandar(?:me|nos|le|les)?|enviar(?:me|nos|le)?|escribir(?:me|nos|le)?|textear(?:me|nos)?|mensajear(?:me|nos)?|contactar(?:me|nos|se)?|molestar(?:me|nos)?|fastidiar(?:me)?|hostigar(?:me)?|acosar(?:me)?|joder(?:me)?|chingar|buscar(?:me)|spamear(?:me|nos)?|llamar(?:me|nos)?|comunicar(?:se)|insistir|recibir|marcar(?:me)|hablar(?:me)|estar (?:mandando|molestando|enviando|escribiendo|llamando|fregando|chingando|jodiendo))",
    ),
    (
        "<sus>",
        r"(?:sus?|tus?|los|las|el|la|estos?|estas?|esos?|esas?|mas|todos?|todas?|de|texto|tantos?|tantas?|ningun|ninguna|por|favor|mis?|este tipo de|ustedes|usted|recibir|que|me|nada|con|a|y|ya|otros?|malditos?|pinches?|mensajes|texts|text)",
    ),
    ("<nunca>", r"(?:mas|nunca|nunca mas|jamas|otra vez|de nuevo|ya)"),
    // Another hour, another thing, another channel.
    (
        "<limite>",
        r"(?: (?:el|la|los|las|un|una|antes|despues|hasta|cuando|mientras|si|hoy|manana|noche|temprano|tan|tarde|todavia|aun|a (?:nadie|otro|otra|los|las|un|una|mi|el|la)|material|trabajadores|gente|al|en la|por la|de (?:noche|dia)|mi|otro|otra|cotizacion|presupuesto|facturas?|primero|ese|porque el|durante|entre|para (?:el|la|los|las|eso))\b)",
    ),
    (
        "<lista>",
        r"(?:listas?|sistema|base de datos|contactos|mensajes|texts|registros?|directorio|suscripcion|publicidad|promociones|notificaciones|archivos?|agenda)",
    ),
    (
        "<trabajo>",
        r"(?:agua|fuga\w*|goter\w*|gotea\w*|tubos?|tuberias?|techos?|inodoro|bano|cocina|luz|electric\w*|plomer\w*|trabajo|camion|casa|puerta|calle|lluvia|ruido|alarma|gas|cita|citas|manana|lunes|martes|miercoles|jueves|viernes|sabado|domingo|presupuesto|cotizacion|factura|precio|llave|calentador|presion|poste|planta|calle|texas|instal\w*|repar\w*|arregl\w*|venir|viene|vengan|llegar|encontre|contrate|esquina|derecha|izquierda)",
    ),
];

/// The first rule that matches is shown to the owner.
pub(super) const RULES: [OptOutRule; 18] = [
    OptOutRule {
        name: "asks not to be written to",
        find: r"\b(?:no|nunca|jamas|ya no|que no|ni)(?: (?:me|nos|le|les|mas|vuelva[ns]? a|se|quiero que|deseo que|por favor))* <mande>\b",
        before: r"(?:para que|por que|si|porque|espero que|a menos que|usted) ",
        after: r"<limite>| (?:me|nos) (?:la|el|un|una)\b| (?:con|de) (?:la|el|los|las|mi)\b",
        sentence: r"\bno (?:me |nos |le )?(?:texto|texte|hable (?:espanol|ingles)|busque)\b|\b(?:no duden?|no se preocupe|no se moleste[ns]?)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks not to be written to",
        find: r"\b(?:(?:no|nunca|jamas|ni)(?: (?:me|nos|les))? vuelva[ns]? a (?:<mandar>|marcar(?:me)?)|(?:favor de no|no|nunca) (?:mandar|enviar|escribir|textear|contactar|molestar|mandarme|enviarme|escribirme|contactarme|molestarme)(?: (?:mas|mensajes|texts|a este numero|a este telefono|nada|por favor|gracias|ni llamar|promociones|otra vez|de nuevo))+|favor de no (?:<mandar>))\b",
        before: r"(?:puedo|pude|pudo|quiero|quise|para|prefiero) ",
        after: r"<limite>",
        ..RULE
    },
    OptOutRule {
        name: "asks not to be called",
        find: r"\b(?:no|nunca|jamas|ya no|que no)(?: (?:me|nos|mas|vuelva[ns]? a|quiero que|deseo que))+ (?:llam(?:e|en|es)|marque[ns]?|telefonee[ns]?|llamar|marcar)(?: (?:mas|nunca|jamas|otra vez|de nuevo|ya|por favor|a este numero|ni|y|gracias))*(?: $| ,)",
        before: r"(?:para que|por que|si|porque) ",
        message: r"\b(?:mande(?:n|me|nme)?|envie(?:n|me|nme)?|escrib(?:a|an|ame|anme)|texteeme|mejor|prefiero)\b.*\b(?:texto|text|texts|mensaje|mensajes)\b|\bmejor (?:texto|text|mensaje|escribame|escriba)\b|\b(?:texteeme|escribame|escribanme)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks not to be called again",
        find: r"\b(?:no|nunca|jamas)(?: \w+){0,3} (?:llam(?:e|en|es|ar|arme)|escrib(?:a|an|ir|irme)|mand(?:e|en|ar|arme)|envi(?:e|en|ar|arme)|contact(?:e|en|ar|arme)|molest(?:e|en|ar|arme)|text(?:ee|een|ear|earme)|marqu(?:e|en))(?: \w+){0,3} (?:mas|nunca|jamas|otra vez|de nuevo)\b",
        before: r"(?:para que|por que|si|porque) ",
        after: r" (?:de|tarde|temprano|gente|trabajadores|tiempo)\b",
        sentence: r"\b(?:hasta|antes|despues|trabajadores|gente|tecnicos?|personas)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop writing",
        find: r"\b(?:deje[ns]?|deja|dejar|dejen|dejenme|dejeme|dejame|paren?|pare[ns]?|para|basta|parar|terminen?|termine[ns]?|cese[ns]?|cesar|alto|evite[ns]?|suspenda[ns]?|suspender|ya basta|deten(?:ga|gan|ganse|gase)?)(?: ya| por favor)?(?: de| con| a)?(?: estar| me)? (?:<mandar>|mandando|enviando|escribiendo|molestando|llamando|texting|texteando|jodiendo|chingando|fregando)\b",
        before: r"(?:no|para que|se) ",
        after: r" (?:agua|gente|trabajadores|los tecnicos|al vecino|facturas|a (?:mi|la|el|los)|luz|corriente|gas|la)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop the messages",
        find: r"\b(?:pare[ns]?|parar|detener|detenga[ns]?|alto|basta|cancel(?:ar|e|en|a|o)|suspend(?:er|a|an)|elimin(?:ar|e|en)|quit(?:ar|e|en)|desactiv(?:ar|e|en|a)|termin(?:ar|e|en)|ces(?:ar|e|en)|dej(?:e|en|ar|a)(?: ya)? (?:de|con)|bloque(?:ar|e|en|o)|evit(?:ar|e|en)|fin|stop|remov(?:er|a|an)|apag(?:ar|ue|uen)|no mas|ya no|ya no mas|ni un)(?: (?:mas|con|de|a))*(?: <sus>)* <mensajes>\b",
        before: r"(?:no|para|tengo|hay|habia|recibi|tenia|llego|llegaron|por que|vi|veo|contesta) ",
        after: r" (?:de (?:voz|la cita|confirmacion|la alarma)|para (?:la|mi|el)|del|perdid[ao]s?|en (?:la|el|mi)|hoy|todavia|aun|antes|hasta|despues|llegaron|llego)\b",
        sentence: r"\b(?:cita|servicio|alarma|detector|recib[io]\w*|basura (?:del|de la|en)|la basura|no (?:el|la|los|las|mi|tu|su) |no (?:es|son|fue|hay|tengo|vi|me llego))\b",
        ..RULE
    },
    OptOutRule {
        name: "asks how to stop the messages",
        find: r"\bcomo (?:le hago para |hago para |puedo |se puede |podria )?(?:dejo|dejar|paro|parar|cancelo|cancelar|detengo|detener|quito|quitar|elimino|eliminar|bloqueo|bloquear|evito|evitar|no)(?: de)?(?: recibir)?(?: <sus>)* <mensajes>\b|\bcomo (?:me )?(?:salgo|doy de baja|desinscribo|desuscribo|quito)(?: de)?(?: <sus>)*(?: <lista>)?(?: $| ,)",
        message: r"\b<trabajo>\b",
        ..RULE
    },
    OptOutRule {
        name: "wants no more messages",
        find: r"\b(?:no|ya no|nunca|tampoco|no te|no les)(?: (?:me|mas|les?|yo))* (?:quiero|deseo|quisiera|necesito|quiere|queremos|deseamos|solicite|pedi|autorizo|autorice|acepto|acepte|gusta|gustan|gustaria|interesa|interesan|doy permiso|di permiso|di mi consentimiento|interesado en|interesada en)(?: <sus>| recibiendo| seguir| recibir| volver| estar| nada| saber| que| sigan| siga)* (?:<mensajes>|<mande>|llam(?:e|en|es)|me sigan|sigan (?:mandando|enviando|escribiendo|molestando)|mandando|mand(?:e|en)|molest\w+|nada de (?:ustedes|usted)|saber (?:de|nada)|de ustedes|contacto|contacten|mandarme|escribirme|comunicacion|recibir nada(?: mas)?)\b",
        before: r"(?:si|porque|ella|el) ",
        after: r" (?:de voz|antes|hasta|cuando|a (?:nadie|mi esposa)|si|despues)\b",
        sentence: r"\b(?:molestar(?:lo|la|los|te|le)|hable con|quiero (?:hablar|llamar|molestar)|trabajadores)\b",
        message: r"\b(?:no quiero llamadas|no me gustan las llamadas)\b.*\b(?:texto|text|texts|mensaje)\b",
        asked: false,
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:qui?te(?:me|n|nme|nos|nnos)?|qui?ta(?:me|r|rme|nos)?|quitenme|saque(?:me|n|nme|nos)?|saca(?:me|r|rme|nos)?|borre(?:me|n|nme|nos)?|borra(?:me|r|rme)?|elimine(?:me|n|nme|nos)?|elimina(?:me|r|rme)?|remueva(?:me|n|nme)?|remover(?:me)?|remuevanme|baje(?:me|nme)|bajenme|retire(?:me|n|nme)?|retira(?:r|rme)?|desinscriba(?:me|nme|n)?|excluya(?:me|nme)?|salir(?:me)?|salirme|tache(?:nme|me)|descarte(?:n)?|olvide(?:n|se)?|olvida|pierda(?:n)?)(?: (?:ya|por favor|me|a mi|mi|este|el|mis|nuestro|inmediatamente|numero|nombre|contacto|telefono|datos|celular|informacion|de|del|la|las|los|su|sus|tu|tus|esta|este|ese|esa|todas?|todos?|cualquier))* (?:<lista>|numero|mi nombre|contacto|datos|mi telefono|mi celular|mi informacion)\b",
        before: r"(?:no|para que|se|ayudar a|como) (?:me )?",
        after: r" (?:de (?:la (?:casa|puerta|factura|cita)|espera|materiales|precios|compras)|electrico|de agua|viejo|anterior|y (?:ponga|use|pon)|para el|septico)\b",
        sentence: r"\b(?:lista de (?:espera|materiales|precios|compras)|nuevo numero|sistema (?:electrico|de agua|septico|viejo)|no (?:me )?(?:borre|quite|saque|elimine)\w*)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:quiteme|quitenme|quitame|saqueme|saquenme|sacame|borreme|borrenme|borrame|eliminenme|elimineme|eliminame|remuevame|remuevanme|bajenme|retirenme|desinscribanme|desuscrib\w*|dessuscrib\w*|desubscrib\w*|desinscrib\w*|unsuscrib\w*|desafili\w*)\b(?: (?:ya|por favor|de (?:esto|aqui|ahi|la lista|su lista|esta lista)|inmediatamente|gracias|a mi|de|del|la|lista))* (?:$|,|y|porque)|\b(?:desuscrib\w+|desinscrib\w+|desubscrib\w+)\b",
        before: r"(?:no|para que) (?:me )?",
        sentence: r"\b(?:quit\w+|saqu\w+) (?:el|la|un|una) \b",
        ..RULE
    },
    OptOutRule {
        name: "takes himself off",
        find: r"\b(?:darme|denme|deme|dame|me den|dar|dese|darnos|dennos|me de|dado|me doy|doy|darse|date) de baja\b|\b(?:baja|anular|cancelar|cancele[ns]?|cancelo|cancela) (?:de |la |mi |a |esta |su )*(?:suscripcion|lista|mensajes|inscripcion|registro|subscripcion)\b|^ (?:solicito|pido|quiero|deseo|necesito)(?: la| mi| una)? baja\b",
        before: r"(?:no|no quiero|no deseo|para) ",
        after: r" (?:el|la|los|las|del|mi|al|su|de la (?:luz|presion)) (?:servicio|medidor|contrato|luz|gas|agua|cita|cuenta|seguro|tension|poliza|plan|internet)\b",
        sentence: r"\b(?:lista de espera|presion)\b",
        ..RULE
    },
    OptOutRule {
        name: "says it is the wrong number",
        find: r"\b(?:numero (?:equivocado|incorrecto|erroneo)|equivocado de (?:numero|persona)|(?:se|te) (?:equivoco|equivocaron|equivocaste|confundio)(?: de (?:numero|persona|telefono))?|persona (?:equivocada|incorrecta)|no soy (?:la persona|esa persona|quien (?:busca|buscan))|telefono equivocado|este no es (?:el|su) (?:numero|telefono) de|aqui no (?:vive|hay) (?:nadie|ningun|ninguna)|no (?:conozco|es) (?:a )?(?:esa persona|el numero)|tiene el numero (?:equivocado|mal))\b",
        before: r"(?:(?:di|puse|dio|escribi|marque|deje|mande|tenia)(?: el| un| mi| al)?|me|si es) ",
        after: r" \d| (?:esta|estaba|quedo|sale|aparece)\b| (?:de (?:la )?(?:casa|pieza|cuarto|modelo)|en la|, (?:mi|es|el correcto)|al darles?|y es|con el precio|con la)\b",
        sentence: r"\b(?:factura|correcto es|mi numero es|perdon me|le di|les di|te di|el color|la pieza|el precio|la medida)\b",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "asks to be left alone",
        find: r"\b(?:dejenme|dejeme|dejame|dejanos|dejenos|dejennos|deje|dejen|me dejen|me deje|me dejes) (?:ya )?(?:en paz|tranquil[oa]s?|sol[oa]|de (?:chingar|joder|molestar|fregar))\b|\b(?:no (?:me )?(?:este[ns]?|esten) (?:chingando|jodiendo|molestando|fregando|mandando|escribiendo|enviando|llamando))\b|\b(?:no (?:sea[ns]?|seas) molest\w+)\b",
        before: r"(?:no|nunca) ",
        ..RULE
    },
    OptOutRule {
        name: "asks to be left alone",
        find: r"\bya (?:no )?(?:me )?(?:moleste[ns]?|molesten|fastidien?|jodan|chinguen)\b|\b(?:me (?:estan|esta) (?:acosando|molestando|hostigando|fastidiando)|esto es (?:acoso|spam|hostigamiento)|los (?:voy a |vamos a )?(?:bloquear|reportar|demandar|denunciar)|voy a (?:bloquear|reportar|demandar|denunciar)(?:los|lo|te|les)?|(?:los|te|lo|estan|numero) (?:bloqueo|bloqueados?|reporto|bloqueare|reportare))\b",
        before: r"(?:no|ruido|vecino|alarma|lluvia) ",
        sentence: r"\b(?:ruido|vecinos?|goteo|perro|alarma|ratas|mosquitos|la fuga|el agua)\b",
        ..RULE
    },
    OptOutRule {
        name: "never signed up",
        find: r"\b(?:nunca|jamas|no)(?: me| les| le| yo)* (?:inscribi|suscribi|subscribi|registre|apunte|di mi numero|di permiso|autorice|di autorizacion|di consentimiento|pedi esto|solicite esto|pedi estos|autorizo)\b",
        before: r"(?:si) ",
        after: r" (?:ese|el|la|los|las|al|en el|para el|todavia|aun|a nadie|que (?:entr|cort|hic))",
        asked: false,
        ..RULE
    },
    OptOutRule {
        name: "wants no more",
        find: r"^ (?:ya |por favor |gracias |hola |please |, )*(?:no mas|ya no mas|no quiero mas|no quiero nada|basta ya|ya basta|ya estuvo|ya paren|ya pare|paren ya|pare ya|ya para|para ya|ya dejen|ya dejenme)(?: (?:por favor|gracias|ya|please|mas|nada|de ustedes|de esto|esto|con esto|, ))* $",
        message: r"\b<trabajo>\b",
        ..RULE
    },
    OptOutRule {
        name: "is not interested and asks to stop",
        find: r"\b(?:no (?:me interesa|estoy interesad[oa]|gracias)|ya no)(?: \w+){0,3} ,? ?(?:alto|paren|pare|parar|basta|no moleste[ns]?|dejen|quitenme|borrenme|deje)\b",
        message: r"\b(?:agua|fuga|goteo|lluvia)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop",
        find: r"\b(?:por favor|favor de|quiero que|necesito que|pido que|exijo que|les pido|le pido que|les pido que|ya) (?:pare[ns]?|parar|paren|detenga(?:n|nse|se)?|alto|basta|detener|deten)(?: (?:ya|esto|eso|con esto|con eso|por favor|de una vez|gracias))* $",
        before: r"(?:no) ",
        message: r"\b<trabajo>\b",
        ..RULE
    },
];
