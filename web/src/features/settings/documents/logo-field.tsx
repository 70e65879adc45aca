// Logo, saved at once as a file of its own.
import { useRef, useState } from 'react'
import { toBrowserUrl } from '@/lib/demo'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { FieldError } from '@/ui/field'
import { settingsMessages as texts } from '../messages'
import { useRemoveLogo, useUploadLogo } from './mutations'

const MAX_BYTES = 5 * 1024 * 1024
const ACCEPTED = 'image/png,image/jpeg,image/webp'

export function LogoField({ logoUrl }: { logoUrl: string | null }) {
  const input = useRef<HTMLInputElement>(null)
  const [error, setFault] = useState<string>()
  const upload = useUploadLogo()
  const remove = useRemoveLogo()
  const isOnline = useOnline()
  const choose = (chosen: HTMLInputElement) => {
    const [file] = chosen.files ?? []
    // The same file chosen again is a change too.
    chosen.value = ''
    if (!file) return
    const isTooLarge = file.size > MAX_BYTES
    setFault(isTooLarge ? texts.paper.logoTooLarge : undefined)
    if (!isTooLarge) upload.mutate(file)
  }
  return (
    <section aria-label={t('Logo')} className="grid gap-2">
      <h3 className="font-semibold">{t('Logo')}</h3>
      <div className="flex flex-wrap items-center gap-3">
        {logoUrl ? (
          <img
            src={toBrowserUrl(logoUrl)}
            alt={t('Your logo')}
            className="h-16 max-w-48 rounded-field border border-primary/30 object-contain p-1.5"
          />
        ) : (
          <p className="text-note text-muted">{t('None yet: your name is shown instead.')}</p>
        )}
        <span className="flex flex-wrap gap-2">
          <Button
            variant="secondary"
            icon="camera"
            disabled={!isOnline}
            pending={upload.isPending}
            pendingText={t('Uploading...')}
            onClick={() => input.current?.click()}
          >
            {logoUrl ? t('Change logo') : t('Choose logo')}
          </Button>
          {logoUrl && (
            <Button
              variant="ghost"
              icon="trash"
              disabled={!isOnline}
              pending={remove.isPending}
              pendingText={t('Removing...')}
              onClick={() => remove.mutate()}
            >
              {t('Remove')}
            </Button>
          )}
        </span>
      </div>
      <p className="text-caption text-muted">
        {t('PNG, JPEG or WebP, at most 5 MB. It is at the top of your pages, estimates and invoices.')}
      </p>
      {error && <FieldError>{error}</FieldError>}
      <input
        ref={input}
        type="file"
        accept={ACCEPTED}
        hidden
        aria-label={t('Logo file')}
        onChange={(event) => choose(event.currentTarget)}
      />
    </section>
  )
}
