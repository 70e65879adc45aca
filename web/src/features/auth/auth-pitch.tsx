import { t } from '@/lib/i18n'
import { Icon, type IconName } from '@/ui/icon'

const POINTS: readonly { icon: IconName; title: string; text: string }[] = [
  {
    icon: 'send',
    title: t('Answered while you work'),
    text: t('Every request gets a reply by text and email the moment it comes in.'),
  },
  {
    icon: 'leads',
    title: t('Every request in one place'),
    text: t('Name, number, photos and what was said, live on your phone.'),
  },
  {
    icon: 'shield',
    title: t('You see what really went out'),
    text: t('Sent, held back or failed: each message says so, and why.'),
  },
]

export function AuthPitch() {
  return (
    <div className="grid content-center gap-6">
      <p className="hidden text-figure leading-tight font-semibold text-balance lg:block">
        {t('Your hands are full.')} <span className="text-primary">{t('Your front office is not.')}</span>
      </p>
      <ul className="grid gap-4">
        {POINTS.map(({ icon, title, text }) => (
          <li key={title} className="flex gap-4">
            <span className="grid size-11 shrink-0 place-items-center rounded-field border border-primary/30 bg-primary/8 text-primary">
              <Icon name={icon} />
            </span>
            <div>
              <p className="font-semibold">{title}</p>
              <p className="text-muted">{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
