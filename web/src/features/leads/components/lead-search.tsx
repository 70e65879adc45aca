// The search box: by name, phone or service.
import { Icon } from '@/ui/icon'
import { IconButton } from '@/ui/button'

type LeadSearchProps = { value: string; onChange: (value: string) => void }

export function LeadSearch({ value, onChange }: LeadSearchProps) {
  return (
    <div role="search" className="relative">
      <Icon name="search" className="pointer-events-none absolute top-3.5 left-3 z-10 text-muted" />
      <input
        type="search"
        aria-label="Search leads by name, phone or service"
        placeholder="Name, phone or service"
        enterKeyHint="search"
        autoComplete="off"
        className="input pr-12 pl-10 [&::-webkit-search-cancel-button]:hidden"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {value !== '' && <IconButton label="Clear search" icon="close" className="absolute! top-0 right-0 z-10" onClick={() => onChange('')} />}
    </div>
  )
}
