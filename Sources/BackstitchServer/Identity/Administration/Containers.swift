import BackstitchSupport
package import Foundation

/// A declared container as administrators see it.
package struct ContainerLine: Codable, Sendable, Hashable {
    package var name: String
    package var label: String?
    package var created: Date

    init(_ row: StoredContainer) {
        name = row.name
        label = row.label.isEmpty ? nil : row.label
        created = Date(timeIntervalSince1970: Double(row.created) / 1000)
    }
}

/// Declares a container, which all servers of the storage then serve, in both environments.
package struct AddContainer: AdministrationRequest {
    package static let path = "containers/add"

    package var name: String
    package var label: String?

    package init(name: String) { self.name = name }

    package func answer(_ identities: Identities) async throws -> ContainerLine {
        try IdentityRules.checkContainer(name)
        try IdentityRules.checkLabel(label ?? "")
        let row = StoredContainer(name: name, label: label ?? "", created: identities.now)
        return try await identities.change { writing, effects in
            let there = try writing.declaredContainers()
            guard !there.contains(where: { $0.name == row.name }) else {
                throw IdentityError(.exists, "the container \(row.name) is declared already")
            }
            guard there.count < IdentityLimits.containers else {
                throw IdentityError(
                    .limit, "there are \(IdentityLimits.containers) containers, as many as there may be")
            }
            try writing.insert(row)
            effects.accounts.insert(ByteText(""))
            return ContainerLine(row)
        }
    }
}

/// Lists the containers that were declared in the storage, by name.
package struct ListContainers: AdministrationRequest {
    package static let path = "containers/list"

    package init() {}

    package func answer(_ identities: Identities) async throws -> Page<ContainerLine> {
        let rows = try await identities.storage.read { try $0.declaredContainers() }
        return Page(rows.map(ContainerLine.init), limit: IdentityLimits.containers, mark: \.name)
    }
}

/// No longer declares a container. It is not served any more, unless the configuration names it; its records stay.
package struct RemoveContainer: AdministrationRequest {
    package static let path = "containers/remove"

    package var name: String

    package init(name: String) { self.name = name }

    package func answer(_ identities: Identities) async throws -> Done {
        try await identities.change { writing, effects in
            guard ServedContainers.isName(name), try writing.removeContainer(name) else {
                throw IdentityError(
                    .notFound,
                    """
                    the storage does not declare '\(name.shown())'; `containers list` names what it declares, and those \
                    of serve --container are the command's
                    """)
            }
            effects.accounts.insert(ByteText(""))
            return Done()
        }
    }
}
