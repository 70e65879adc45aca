// Three highlights: rating from five reviews on, turnaround once the business is loaded.
import type { Schema } from '@/api/client'
import { Icon } from '@/ui/icon'
import { quoteMessages } from '../messages'

export function Highlights({ business }: { business: Schema['FormContext'] | undefined }) {
  return (
    <ul className="grid grid-cols-3 gap-2 sm:gap-4">
      {quoteMessages.highlights(business).map(({ icon, title, text }) => (
        <li
          key={title}
          className="glass-card flex flex-col items-center gap-1 p-3 text-center sm:flex-row sm:gap-4 sm:p-4 sm:text-left"
        >
          <Icon name={icon} className="size-6 text-primary sm:size-8" />
          <div className="min-w-0">
            <h2 className="text-note sm:text-base">{title}</h2>
            <p className="min-h-[2lh] text-caption text-muted sm:min-h-[1lh]">{text}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}
