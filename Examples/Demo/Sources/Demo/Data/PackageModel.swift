import Backstitch
import Foundation

/// An installed package.
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

/// A person or group that looks after packages.
final class Maintainer: ManagedObject {
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
}

/// A section of the archive.
final class Section: ManagedObject {
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
}

extension ManagedObjectModel {
    /// Packages with their maintainers, sections and dependencies.
    static let packages = ManagedObjectModel([
        EntityDescription(
            "Package", class: Package.self,
            [
                .attribute("name", .string, default: ""), .attribute("version", .string, default: ""),
                .attribute("architecture", .string, default: ""), .attribute("summary", .string, default: ""),
                .attribute("installedSize", .integer64, default: 0),
                .attribute("isEssential", .boolean, default: false), .attribute("homepage", .uri),
                .attribute("copyright", .binary, external: true),
                .toOne("maintainer", "Maintainer", inverse: "packages"),
                .toOne("section", "Section", inverse: "packages"),
                .toMany("dependencies", "Package", inverse: "dependents"),
                .toMany("dependents", "Package", inverse: "dependencies"),
            ]),
        EntityDescription(
            "Maintainer", class: Maintainer.self,
            [.attribute("name", .string, default: ""), .toMany("packages", "Package", inverse: "maintainer")]),
        EntityDescription(
            "Section", class: Section.self,
            [.attribute("name", .string, default: ""), .toMany("packages", "Package", inverse: "section")]),
    ])
}
