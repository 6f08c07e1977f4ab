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
        created = Date(milliseconds: row.created)
    }
}
