import BackstitchSupport
import CloudWire
import Foundation

/// Lists accounts in the order of their record names.
package struct ListUsers: AdministrationRequest {
    package static let path = "users/list"

    /// The last record name of the previous page.
    package var after: String?
    /// Most rows in the answer: at most 1,000.
    package var limit: Int?

    package init(after: String? = nil, limit: Int? = nil) {
        self.after = after
        self.limit = limit
    }

    package func answer(_ identities: Identities) async throws -> Page<AccountLine> {
        let limit = IdentityRules.limit(limit), mark = try IdentityRules.mark(after)
        let rows = try await identities.storage.read { try $0.accounts(after: mark, limit: limit + 1) }
        return Page(rows.map(AccountLine.init), limit: limit, mark: \.recordName)
    }
}
