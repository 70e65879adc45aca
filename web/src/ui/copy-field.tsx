// An address to paste elsewhere, with a button that copies it.
import type { ErrorText } from '@/api/errors'
import { Breakable } from './breakable'
import { Button } from './button'
import { toast } from './toast/toast-store'

type CopyFieldProps = { label: string; value: string; copied: ErrorText; failed: ErrorText }

async function copy({ value, copied, failed }: Omit<CopyFieldProps, 'label'>): Promise<void> {
  try {
    await navigator.clipboard.writeText(value)
    toast.success(copied.title, copied.description)
  } catch {
    // Browsers refuse without a secure address or a permission; the text can still be selected.
    toast.error(failed.title, failed.description)
  }
}

export function CopyField({ label, ...rest }: CopyFieldProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p className="min-w-0 flex-1 basis-40 rounded-field border border-primary/30 bg-base-200 px-3 py-2.5 text-note select-all"><Breakable>{rest.value}</Breakable></p>
      <Button variant="secondary" icon="copy" aria-label={`Copy the address for ${label}`} onClick={() => void copy(rest)}>Copy</Button>
    </div>
  )
}
