import BackstitchSupport

/// An answer that says nothing but that it is done.
package struct Done: Codable, Sendable, Hashable {
    package init() {}
}
