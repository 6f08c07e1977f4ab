import Backstitch
import Foundation

/// The package database of a Debian machine: `/var/lib/dpkg/status`, and each package's copyright file.
struct PackageDatabase: Dataset {
    static let statusFile = URL(filePath: "/var/lib/dpkg/status")

    let title = "this machine's package database"
    let model = ManagedObjectModel.packages
    let excludedAssets = ["copyright"]
    let stage = Stage(
        entity: "Package", name: "name", contested: "summary", other: "installedSize", relationship: "section")
    var expectedCount: Int { paragraphs.count }

    private let paragraphs: [[String: String]]

    init() throws {
        paragraphs = try ControlFile(contentsOf: Self.statusFile).paragraphs.filter {
            $0["Package"] != nil && $0["Status"]?.hasSuffix(" installed") == true
        }
    }

    func importAll(into container: PersistentContainer, progress: @escaping @Sendable (Int) -> Void) async throws {
        for start in stride(from: 0, to: paragraphs.count, by: Self.chunk) {
            let end = min(start + Self.chunk, paragraphs.count)
            try await container.perform(author: "import") { context in
                let index = try PackageIndex(context)
                for paragraph in paragraphs[start..<end] { try index.importPackage(paragraph) }
                try context.save()
            }
            progress(end)
        }
        try await container.perform(author: "import") { context in
            let index = try PackageIndex(context)
            for paragraph in paragraphs { try index.linkDependencies(of: paragraph) }
            try context.save()
        }
    }

    /// The number of packages a save. Dependencies come last, when all packages exist.
    private static let chunk = 250
}

/// The stored objects by their names, so that an interrupted import continues with the missing ones.
private final class PackageIndex {
    private let context: ManagedObjectContext
    private var packages: [String: Package] = [:]
    private var maintainers: [String: Maintainer] = [:]
    private var sections: [String: Section] = [:]

    init(_ context: ManagedObjectContext) throws {
        self.context = context
        for package in try context.fetch(FetchRequest<Package>()) { packages[Self.key(package)] = package }
        for maintainer in try context.fetch(FetchRequest<Maintainer>()) { maintainers[maintainer.name] = maintainer }
        for section in try context.fetch(FetchRequest<Section>()) { sections[section.name] = section }
    }

    func importPackage(_ fields: [String: String]) throws {
        let package = packages[Self.key(fields)] ?? Package(context: context)
        guard package.isInserted else { return }
        packages[Self.key(fields)] = package
        package.name = fields["Package"] ?? ""
        package.version = fields["Version"] ?? ""
        package.architecture = fields["Architecture"] ?? ""
        package.summary = fields["Description"].map { String($0.prefix { $0 != "\n" }) } ?? ""
        package.installedSize = fields["Installed-Size"].flatMap { Int($0) } ?? 0
        package.isEssential = fields["Essential"] == "yes"
        package.homepage = fields["Homepage"].flatMap { URL(string: $0) }
        package.copyright = try? Data(contentsOf: URL(filePath: "/usr/share/doc/\(package.name)/copyright"))
        package.maintainer = fields["Maintainer"].map(maintainer(named:))
        package.section = fields["Section"].map(section(named:))
    }

    func linkDependencies(of fields: [String: String]) throws {
        guard let package = packages[Self.key(fields)] else { return }
        let byName = named
        let names = dependencyNames((fields["Depends"] ?? "") + "," + (fields["Pre-Depends"] ?? ""))
        for name in Set(names).sorted() {
            for dependency in byName[name] ?? [] where dependency !== package {
                try package.add(dependency, to: "dependencies")
            }
        }
    }

    /// Packages by name alone, since several architectures of a package may be installed.
    private lazy var named = Dictionary(grouping: packages.values, by: \.name)

    private func maintainer(named name: String) -> Maintainer {
        if let maintainer = maintainers[name] { return maintainer }
        let maintainer = Maintainer(context: context)
        maintainer.name = name
        maintainers[name] = maintainer
        return maintainer
    }

    private func section(named name: String) -> Section {
        if let section = sections[name] { return section }
        let section = Section(context: context)
        section.name = name
        sections[name] = section
        return section
    }

    private static func key(_ package: Package) -> String { "\(package.name):\(package.architecture)" }
    private static func key(_ fields: [String: String]) -> String {
        "\(fields["Package"] ?? ""):\(fields["Architecture"] ?? "")"
    }
}
