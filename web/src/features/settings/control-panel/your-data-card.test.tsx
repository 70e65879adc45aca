// The way out: one button that saves everything.
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { YourDataCard } from './your-data-card'

it('saves all that the business has under the name that the server gives', () => {
  render(<YourDataCard />)
  const link = screen.getByRole('link', { name: 'Download everything' })
  expect(link).toHaveAttribute('href', '/api/organization/export')
  expect(link).toHaveAttribute('download')
})
