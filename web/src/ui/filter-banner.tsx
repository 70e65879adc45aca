// Active filter as a removable chip, with the result count.
import { t } from '@/lib/i18n'
import { Button } from './button'

type FilterBannerProps = { label: string; countText?: string | undefined; onClear: () => void }

export function FilterBanner({ label, countText, onClear }: FilterBannerProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button variant="secondary" icon="close" onClick={onClear}>
        <span className="sr-only">{t('Remove:')}</span> {label}
      </Button>
      <p role="status" className="font-semibold tabular-nums">
        {countText}
      </p>
    </div>
  )
}
