import BackstitchSupport

/// Declares a container. All servers of the storage then serve it, in both environments.
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
                    .limit, "there are \(IdentityLimits.containers) containers, which is the limit; remove some first")
            }
            try writing.insert(row)
            effects.accounts.insert(ByteText(""))
            return ContainerLine(row)
        }
    }
}
