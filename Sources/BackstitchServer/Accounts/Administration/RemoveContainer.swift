import BackstitchSupport

/// Ends the declaration of a container. It is no longer served, unless the configuration names it. Its records stay.
package struct RemoveContainer: AdministrationRequest {
    package static let path = "containers/remove"

    package var name: String

    package init(name: String) { self.name = name }

    package func answer(_ identities: Identities) async throws -> Done {
        try await identities.change(frees: true) { writing, effects in
            guard ServedContainers.isName(name), try writing.removeContainer(name) else {
                throw IdentityError(
                    .notFound,
                    """
                    the storage does not declare '\(name.shown())'; `containers list` names its containers. The \
                    containers of serve --container belong to that command
                    """)
            }
            effects.accounts.insert(ByteText(""))
            return Done()
        }
    }
}
