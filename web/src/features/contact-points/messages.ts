// Texts of contact details proposed by a form.
export const contactMessages = {
  hint: 'A form named it with their other details. The automatic answer to that form may have gone there. Estimates, invoices and visit messages do not go there until you use it.',
  aside: 'Set aside: nothing about their work goes there until you use it.',
  alsoFor: (name: string) => `Also given for another customer: ${name}`,
  shutOff: 'After the merge nothing about their work goes there until you use it.',
  papersStop: (papers: readonly string[]) =>
    `${papers.join(', ')} ${papers.length === 1 ? 'waits' : 'wait'} to go there and will not be sent there.`,
  answered: 'They answered from it.',
  typedOnly: 'it was only typed into a form. Nothing goes there until you use it.',
  movable: 'Use it to move it here. If they are one person, merge the two.',
  provenElsewhere: 'It is confirmed as theirs. If they are one person, merge the two.',
  accepted: { title: 'Used', description: 'Messages to them go there from now on.' },
  acceptFailed: { title: 'Not used', description: 'Nothing was changed. Please try again.' },
  dismissed: { title: 'Dismissed', description: 'It is not proposed for them again.' },
  dismissFailed: { title: 'Not dismissed', description: 'Nothing was changed. Please try again.' },
  undone: { title: 'Taken back', description: 'The record stands as it did before.' },
  undoFailed: { title: 'Not undone', description: 'The record was changed since, or the answer did not arrive.' },
  proofs: {
    on_file: 'On file',
    form: 'Typed into a form',
    answered: 'Answered a form',
    called: 'Called from it',
    texted: 'Texted from it',
    link_opened: 'Opened our link',
    office: 'Confirmed by the office',
    imported: 'Imported',
  },
} as const
