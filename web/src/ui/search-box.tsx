import type { KeyboardEvent } from 'react'
import { t } from '@/lib/i18n'
import { IconButton } from './button'
import { Icon } from './icon'

type SearchBoxProps = {
  /** Accessible name. */
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  onKeyDown?: (event: KeyboardEvent) => void
}

export function SearchBox({ label, placeholder, value, onChange, onKeyDown }: SearchBoxProps) {
  return (
    <div role="search" className="relative">
      <Icon name="search" className="pointer-events-none absolute top-3.5 left-3 z-10 text-muted" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        enterKeyHint="search"
        autoComplete="off"
        className="input pr-12 pl-10 [&::-webkit-search-cancel-button]:hidden"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {value !== '' && (
        <IconButton
          label={t('Clear search')}
          icon="close"
          className="absolute! top-0 right-0 z-10"
          onClick={() => onChange('')}
        />
      )}
    </div>
  )
}
