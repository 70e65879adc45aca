// Approved extra work without prices.
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import type { ExtraWork } from '../types'

type ExtraWorkListProps = { extraWork: readonly ExtraWork[]; className?: string }

export function ExtraWorkList({ extraWork, className }: ExtraWorkListProps) {
  return (
    <div className={classNames('grid gap-2', className)}>
      {extraWork.map(({ number, title, lines }) => (
        <div key={number}>
          <p className="font-semibold wrap-anywhere">
            {title ?? number}
            {title && <span className="font-normal text-muted"> {number}</span>}
          </p>
          <ul className="grid list-disc gap-1 pl-4 marker:text-primary">
            {lines.map(({ name, description, quantity, isCredit }, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- signed lines keep their order; none has an id
              <li key={`${at} ${name}`} className="wrap-anywhere">
                {isCredit && <span className="font-semibold">{t('Left out:')} </span>}
                {name}
                {quantity && `, ${quantity}`}
                {description && <span className="block text-note text-muted">{description}</span>}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}
