import BackstitchSupport
import Foundation

/// Lists the containers declared in the storage, by name.
package struct ListContainers: AdministrationRequest {
    package static let path = "containers/list"

    package init() {}

    package func answer(_ identities: Identities) async throws -> Page<ContainerLine> {
        let rows = try await identities.storage.read { try $0.declaredContainers() }
        return Page(rows.map(ContainerLine.init), limit: IdentityLimits.containers, mark: \.name)
    }
}
