import CloudWire
import Foundation

/// Distances on earth. The earth is taken as a sphere.
enum QueryDistance {
    /// The mean radius in metres (IUGG).
    static let earthRadius = 6_371_008.8

    /// The metres between two places along the surface, by the haversine formula.
    static func metres(_ first: WireLocation, _ second: WireLocation) -> Double {
        let radians = Double.pi / 180
        let north = (second.latitude - first.latitude) * radians / 2
        let east = (second.longitude - first.longitude) * radians / 2
        let chord =
            sin(north) * sin(north)
            + cos(first.latitude * radians) * cos(second.latitude * radians) * sin(east) * sin(east)
        return 2 * earthRadius * asin(min(1, max(0, chord).squareRoot()))
    }

    /// A distance in degrees of latitude, and a little more.
    static func degrees(_ metres: Double) -> Double { metres / earthRadius * 180 / .pi + 1e-6 }

    /// The reason why a place is not on earth; nil if it is.
    static func fault(in place: WireLocation) -> String? {
        (-90...90).contains(place.latitude) && (-180...180).contains(place.longitude)
            ? nil : "latitude is -90 to 90 and longitude -180 to 180"
    }
}
