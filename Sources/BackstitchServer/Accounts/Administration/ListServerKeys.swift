import BackstitchSupport
import Foundation

/// Lists server-to-server keys in the order of their ids.
package struct ListServerKeys: AdministrationRequest {
    package static let path = "keys/list"

    /// The last id of the previous page.
    package var after: String?
    /// Most rows in the answer: at most 1,000.
    package var limit: Int?

    package init(after: String? = nil, limit: Int? = nil) {
        self.after = after
        self.limit = limit
    }

    package func answer(_ identities: Identities) async throws -> Page<ServerKeyLine> {
        let limit = IdentityRules.limit(limit), mark = try IdentityRules.mark(after)
        let rows = try await identities.storage.read { try $0.serverKeys(after: mark, limit: limit + 1) }
        return Page(rows.map(ServerKeyLine.init), limit: limit, mark: \.id)
    }
}
