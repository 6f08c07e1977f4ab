/// Body of `records/resolve` and `records/accept`: the shares of some addresses.
package struct ShareGUIDsRequest: Sendable, Hashable {
    /// The shares, by the identifiers in their addresses.
    package var shortGUIDs: [ShortGUID]

    package init(shortGUIDs: [ShortGUID]) {
        self.shortGUIDs = shortGUIDs
    }
}

extension ShareGUIDsRequest: WireObject {
    static var blank: Self { Self(shortGUIDs: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("shortGUIDs", &shortGUIDs, else: "the request needs shortGUIDs")
    }
}
