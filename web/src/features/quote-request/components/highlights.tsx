// Three reasons to ask. No number that was not earned: a rating appears once there are reviews.
import { Icon } from '@/ui/icon'
import { quoteMessages } from '../messages'

export function Highlights() {
  return (
    <ul className="grid grid-cols-3 gap-2 sm:gap-4">
      {quoteMessages.highlights.map(({ icon, title, text }) => (
        <li key={title} className="glass-card flex flex-col items-center gap-1 p-3 text-center sm:flex-row sm:gap-4 sm:p-4 sm:text-left">
          <Icon name={icon} className="size-6 text-primary sm:size-8" />
          <div className="min-w-0">
            <h2 className="text-note sm:text-base">{title}</h2>
            <p className="text-caption text-muted">{text}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}
