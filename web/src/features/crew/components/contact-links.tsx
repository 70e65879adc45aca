// Call, navigate and text links; texts go from the own phone.
import { contactMessages } from '@/features/contact-points/messages'
import { telHref } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { Icon, type IconName } from '@/ui/icon'
import { mapHref } from '@/features/jobs/lib/map-href'
import type { JobDetail } from '@/features/jobs/types'

type ContactLink = { label: string; icon: IconName; href: string; isElsewhere?: boolean }

function contactLinks(job: JobDetail): ContactLink[] {
  const { customerPhone: phone } = job
  const map = mapHref(job)
  return [
    ...(phone ? [{ label: t('Call'), icon: 'phone', href: telHref(phone) } as const] : []),
    ...(map ? [{ label: t('Map'), icon: 'pin', href: map, isElsewhere: true } as const] : []),
    ...(phone ? [{ label: t('Text'), icon: 'message', href: telHref(phone).replace(/^tel:/, 'sms:') } as const] : []),
  ]
}

export function ContactLinks({ job }: { job: JobDetail }) {
  const links = contactLinks(job)
  if (links.length === 0) return <p className="text-muted">{t('Neither a phone number nor an address is known.')}</p>
  return (
    <>
      <ul aria-label={t('To {name}', { name: job.customerName })} className="flex gap-2">
        {links.map(({ label, icon, href, isElsewhere }) => (
          <li key={label} className="flex-1">
            <a
              href={href}
              {...(isElsewhere ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
              className="flex min-h-14 flex-col items-center justify-center gap-0.5 rounded-field border border-primary/55 text-note font-semibold hover:bg-primary/10"
            >
              <Icon name={icon} className="text-primary" />
              {label}
            </a>
          </li>
        ))}
      </ul>
      {job.customerPhone && job.customerPhoneProof === 'form' && (
        <p className="mt-1 text-note text-muted">
          {t('Phone: {proof}', { proof: contactMessages.proofs.form.toLowerCase() })}
        </p>
      )}
    </>
  )
}
