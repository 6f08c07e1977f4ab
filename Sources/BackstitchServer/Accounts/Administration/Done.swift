import BackstitchSupport

/// An answer without content: the request was carried out.
package struct Done: Codable, Sendable, Hashable {
    package init() {}
}
