import Backstitch
import Foundation

/// An installed package of the machine, as its paragraph in the package database describes it.
final class Package: ManagedObject {
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    var version: String {
        get { self["version"] }
        set { self["version"] = newValue }
    }
    var architecture: String {
        get { self["architecture"] }
        set { self["architecture"] = newValue }
    }
    var summary: String {
        get { self["summary"] }
        set { self["summary"] = newValue }
    }
    var installedSize: Int {
        get { self["installedSize"] }
        set { self["installedSize"] = newValue }
    }
    var isEssential: Bool {
        get { self["isEssential"] }
        set { self["isEssential"] = newValue }
    }
    var homepage: URL? {
        get { self["homepage"] }
        set { self["homepage"] = newValue }
    }
    var copyright: Data? {
        get { self["copyright"] }
        set { self["copyright"] = newValue }
    }
    var maintainer: Maintainer? {
        get { self["maintainer"] }
        set { self["maintainer"] = newValue }
    }
    var section: Section? {
        get { self["section"] }
        set { self["section"] = newValue }
    }
    var dependencies: Set<Package> {
        get { self["dependencies"] }
        set { self["dependencies"] = newValue }
    }
}
