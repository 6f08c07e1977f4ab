extension ChangeFeed {
    /// Makes all present sync tokens invalid.
    func invalidateTokens() async throws {
        try await server.storage.write { [random = server.random] writing in
            try writing.renewEpochs { random.identifier() }
        }
    }
}
