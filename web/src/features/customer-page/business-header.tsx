// Head of a form: logo, name and phone of the business, as on its server-rendered pages.
import type { Schema } from '@/api/client'
import { formatPhone, telHref } from '@/lib/format/phone'
import { ExternalButton } from '@/ui/button'
import { useBusinessLook } from './use-business-look'

export function BusinessHeader({ context }: { context: Schema['FormContext'] }) {
  const { orgName, orgPhone, look } = context
  useBusinessLook(look)
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {look.logoUrl && (
        <img src={look.logoUrl} alt="" className="max-h-14 max-w-36 rounded-field bg-white object-contain" />
      )}
      <p className="min-w-0 flex-1 text-section font-semibold">{orgName}</p>
      {orgPhone && (
        <ExternalButton href={telHref(orgPhone)} variant="secondary" icon="phone">
          {formatPhone(orgPhone)}
        </ExternalButton>
      )}
    </header>
  )
}
