// An address to paste elsewhere, with a button that copies it.
import type { ReactNode } from 'react'
import type { ErrorText } from '@/api/errors'
import { t } from '@/lib/i18n'
import { BreakableAddress } from './breakable-address'
import { Button } from './button'
import { toast } from './toast/toast-store'

type CopyRequest = { value: string; copied: ErrorText; failed: ErrorText }
type CopyFieldProps = CopyRequest & { label: string }

async function copyToClipboard({ value, copied, failed }: CopyRequest): Promise<void> {
  try {
    await navigator.clipboard.writeText(value)
    toast.success(copied.title, copied.description)
  } catch {
    // Browsers refuse without a secure address or a permission; the text can still be selected.
    toast.error(failed.title, failed.description)
  }
}

type CopyButtonProps = CopyRequest & {
  /** What is copied, for readers of the screen. */ label: string
  children: ReactNode
  className?: string
}

export function CopyButton({ label, children, className, ...copied }: CopyButtonProps) {
  return (
    <Button
      variant="secondary"
      icon="copy"
      aria-label={label}
      className={className}
      onClick={() => void copyToClipboard(copied)}
    >
      {children}
    </Button>
  )
}

export function CopyField({ label, ...rest }: CopyFieldProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p className="min-w-0 flex-1 basis-40 rounded-field border border-primary/30 bg-base-200 px-3 py-2.5 text-note select-all">
        <BreakableAddress>{rest.value}</BreakableAddress>
      </p>
      <CopyButton label={t('Copy the address for {label}', { label })} {...rest}>
        {t('Copy')}
      </CopyButton>
    </div>
  )
}
