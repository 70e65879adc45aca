import { pgettext, t } from '@/lib/i18n'

export const lookMessages = {
  title: pgettext('appearance', 'Look'),
  hint: t('Your forms, booking pages, estimates and invoices show it. So do your emails.'),
  color: t('Color'),
  noColor: t('Standard'),
  otherColor: t('Pick another color'),
  hex: t('Hex code'),
  hexHint: t('From your sign or website, like #00616f. Leave it empty for the standard colors.'),
  invalidColor: t('Enter # and six digits or letters from A to F, like #00616f'),
  poweredBy: t('Show "Powered by Toolbox"'),
  poweredByHint: t('A small line at the bottom of your pages'),
  preview: t('Preview of your pages, in light and dark'),
  // As customers read it.
  previewTitle: 'Get Your Free Quote',
  previewText: 'Tell us what you need.',
  previewLink: 'Privacy',
  previewButton: 'Submit Request',
  previewFoot: 'Powered by Toolbox',
} as const
