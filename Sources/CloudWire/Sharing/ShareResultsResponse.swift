/// Body of the answers of `records/resolve` and `records/accept`: one result for each share, in the order of the
/// request.
package struct ShareResultsResponse: Sendable, Hashable {
    /// The results, one for each share.
    package var results: [ShareResult]

    package init(results: [ShareResult]) {
        self.results = results
    }
}

extension ShareResultsResponse: WireObject {
    static var blank: Self { Self(results: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.nonNull("results", &results) }
}
